"""Detect how the service of a repository is built and started, for its first `tacho.toml`.

Most of what is detected is a guess. `Detected.notes` has a sentence for each that a person checks.
"""

import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET

from backend.core.catalog.own.compose import ComposeService, read_compose
from backend.core.catalog.own.service_file import ProcessTable
from backend.core.documents import JsonObject

_MOST_FILES = 500
_MOST_SOURCE_BYTES = 200 * 1024
_MOST_MANIFEST_BYTES = 1024 * 1024
_COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_SKIPPED = {"node_modules", "target", "vendor", "dist", "venv", "test", "tests", "__tests__"}
_SOURCES = {".go", ".java", ".js", ".cjs", ".mjs", ".ts", ".kt", ".py", ".rs"}
# The best first: those of libraries are certain; /ready usually waits for all that is needed.
_READY_PATHS = ("/actuator/health", "/q/health", "/ready", "/healthz", "/health", "/livez")
_READY_LIBRARIES = (
    ("spring-boot-starter-actuator", "/actuator/health"),
    ("quarkus-smallrye-health", "/q/health"),
)
_ROUTE = re.compile(rf"""["'`](?:GET )?({"|".join(_READY_PATHS)})/?["'`]""")
_EXPOSED = re.compile(r"(?im)^\s*(?:EXPOSE\s+|ENV\s+PORT[=\s])(\d+)\b")
# The first version of a requirement that is not an upper limit.
_VERSION = re.compile(r"(?<![<\d.])(?<!<=)\d+(?:\.\d+)*")
_PYTHON = ".venv/bin/python"
# Words of the dependencies, the file of Django that defines the application, and the command.
_PYTHON_SERVERS = (
    ({"uvicorn", "fastapi", "starlette"}, "asgi.py", 'uvicorn {} --host "$HOST" --port "$PORT"'),
    ({"gunicorn"}, "wsgi.py", 'gunicorn {} --bind "$HOST:$PORT"'),
    ({"flask"}, "wsgi.py", 'flask --app {} run --host "$HOST" --port "$PORT"'),
)


@dataclass(frozen=True)
class Detected:
    """The content of a repository. `port` and `ready` are None if no file names them.

    `docker` is whether it has a Dockerfile. `compose` is the service that its Compose file builds.
    """

    name: str
    languages: tuple[str, ...]
    port: int | None
    ready: str | None
    docker: bool
    process: ProcessTable | None
    compose: ComposeService | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Program:
    """The description of a program by the manifest of its language."""

    language: str
    name: str
    process: ProcessTable | None
    note: str


def detect(folder: Path) -> Detected:
    """Return what the files of a repository describe."""
    finders = (_find_go, _find_rust, _find_java, _find_python, _find_node)
    programs = [program for find in finders if (program := find(folder)) is not None]
    # A manifest without a program often only serves tools or a frontend.
    programs.sort(key=lambda program: program.process is None)
    main = programs[0] if programs else _Program("", "", None, "")
    compose = _find_compose(folder)
    port = _find_exposed(folder) or (compose.port if compose is not None else None)
    ready, ready_notes = _find_ready(folder)
    notes = [program.note for program in (programs[:1] if main.process else programs)]
    if main.process and not any("$PORT" in word for word in main.process.run):
        notes.append("As a process, the service must listen on the port PORT of the address HOST.")
    if compose is not None:
        notes += compose.notes
    return Detected(
        name=_make_slug(main.name) or _make_slug(folder.resolve().name) or "service",
        languages=tuple(program.language for program in programs),
        port=port,
        ready=ready,
        docker=(folder / (compose.dockerfile if compose else "Dockerfile")).is_file(),
        process=main.process,
        compose=compose,
        notes=(*notes, *ready_notes),
    )


def _find_compose(folder: Path) -> ComposeService | None:
    name = next((name for name in _COMPOSE if (folder / name).is_file()), None)
    return None if name is None else read_compose(_read(folder / name), name)


def _find_exposed(folder: Path) -> int | None:
    """Return the port that the last stage of the Dockerfile names."""
    last_stage = re.split(r"(?im)^\s*FROM\s", _read(folder / "Dockerfile"))[-1]
    exposed = _EXPOSED.search(last_stage)
    return int(exposed[1]) if exposed else None


def _find_ready(folder: Path) -> tuple[str | None, list[str]]:
    """Return the best path for readiness that source files or libraries in a pom.xml contain."""
    pom = _read(folder / "pom.xml")
    files = {route: Path("pom.xml") for library, route in _READY_LIBRARIES if library in pom}
    sources = islice(_list_sources(folder), _MOST_FILES)
    texts = ((path.relative_to(folder), _read(path, _MOST_SOURCE_BYTES)) for path in sources)
    files |= {found[1]: path for path, text in texts for found in _ROUTE.finditer(text)}
    route = next((route for route in _READY_PATHS if route in files), None)
    notes = [f"`ready` is {route}, which was found in {files[route]}."] if route else []
    return route, notes


def _list_sources(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and name[0] != ".")
        paths = (Path(parent, name) for name in sorted(files))
        yield from (path for path in paths if path.suffix in _SOURCES and not path.is_symlink())


def _find_go(folder: Path) -> _Program | None:
    text = _read(folder / "go.mod")
    module = re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE)
    if module is None:
        return None
    name = re.sub(r"/v\d+$", "", module[1]).split("/")[-1]
    version = re.search(r"^go\s+(\S+)", text, re.MULTILINE)
    commands = [path for path in sorted(folder.glob("cmd/*")) if _has_go_main(path)]
    if not _has_go_main(folder) and len(commands) != 1:
        return _Program("Go", name, None, "Not exactly one Go program was found. Add [process].")
    package = "." if _has_go_main(folder) else f"./cmd/{commands[0].name}"
    # Go would write its output into a folder of that name.
    binary = "service.bin" if (folder / "service").is_dir() else "service"
    requires = _require("go", version[1] if version else "")
    build = ("{go}", "build", "-o", binary, package)
    process = ProcessTable(requires=(requires,), build=(build,), run=(f"./{binary}",))
    return _Program("Go", name, process, f"[process] builds the Go package `{package}`.")


def _has_go_main(folder: Path) -> bool:
    paths = (path for path in folder.glob("*.go") if not path.name.endswith("_test.go"))
    return any(re.search(r"^package main\b", _read(path), re.MULTILINE) for path in paths)


def _find_rust(folder: Path) -> _Program | None:
    cargo = _parse(folder / "Cargo.toml", tomllib.loads)
    if cargo is None:
        return None
    name = _get_text(cargo, "package", "name")
    if not name:
        return _Program("Rust", "", None, "Cargo.toml has no [package]. Add [process].")
    listed = cargo.get("bin")
    first = _get_text(listed[0], "name") if isinstance(listed, list) and listed else ""
    binary = _get_text(cargo, "package", "default-run") or first or name
    locked = ("--locked",) if (folder / "Cargo.lock").is_file() else ()
    requires = _require("cargo", _get_text(cargo, "package", "rust-version"))
    build = ("{cargo}", "build", "--release", *locked)
    process = ProcessTable(requires=(requires,), build=(build,), run=(f"target/release/{binary}",))
    return _Program("Rust", name, process, f"[process] starts the Rust binary {binary}.")


def _find_java(folder: Path) -> _Program | None:
    text = _read(folder / "pom.xml")
    try:
        # Only a document type declares entities, which can expand to gigabytes.
        pom = ET.fromstring("" if "<!DOCTYPE" in text else text)  # noqa: S314
    except ET.ParseError:
        return None
    values = {item.tag.split("}")[-1]: item.text or "" for item in pom.iterfind("{*}properties/*")}
    values["project.artifactId"] = name = pom.findtext("{*}artifactId", "")
    inherited = pom.findtext("{*}parent/{*}version", "")
    values["project.version"] = pom.findtext("{*}version", inherited)
    if pom.findtext("{*}packaging") == "pom":
        return _Program("Java", name, None, "pom.xml describes only modules. Add [process].")
    built = pom.findtext("{*}build/{*}finalName", "${project.artifactId}-${project.version}")
    jar = f"target/{_resolve(built, values)}.jar"
    used = {element.text or "" for element in pom.iterfind(".//{*}dependency/{*}artifactId")}
    run: tuple[str, ...] = ("{java}", "-jar", jar)
    if any(artifact.startswith("quarkus-") for artifact in used):
        jar = "target/quarkus-app/quarkus-run.jar"
        bind = '-Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT"'
        run = ("sh", "-c", f'exec "{{java}}" {bind} -jar {jar}')
    elif any(artifact.startswith("spring-boot-") for artifact in used):
        bind = '--server.address="$HOST" --server.port="$PORT"'
        run = ("sh", "-c", f'exec "{{java}}" -jar {shlex.quote(jar)} {bind}')
    version = values.get("maven.compiler.release") or values.get("java.version", "")
    requires = (_require("java", _resolve(version, values).removeprefix("1.")), "mvn")
    build = ("{mvn}", "-q", "-DskipTests", "package")
    process = ProcessTable(requires=requires, build=(build,), run=run)
    return _Program("Java", name, process, f"[process] starts {jar} of Maven.")


def _find_python(folder: Path) -> _Program | None:
    document = _parse(folder / "pyproject.toml", tomllib.loads)
    listed = _read(folder / "requirements.txt")
    if document is None and not listed:
        return None
    name = _get_text(document, "project", "name") or _get_text(document, "tool", "poetry", "name")
    declared = f"{_read(folder / 'pyproject.toml')}\n{listed}".lower()
    run = _choose_python_start(folder, set(re.findall(r"[a-z][\w-]*", declared)))
    if run is None:
        return _Program("Python", name, None, "No main.py or app.py was found. Add [process].")
    install: tuple[str, ...] = ("-r", "requirements.txt") if listed else (".",)
    requires = _require("python", _get_text(document, "project", "requires-python"))
    pip = (_PYTHON, "-m", "pip", "install", "--quiet", *install)
    build = (("{python}", "-m", "venv", ".venv"), pip)
    process = ProcessTable(requires=(requires,), build=build, run=run)
    return _Program("Python", name, process, f"[process] starts the service by: {run[-1]}")


def _choose_python_start(folder: Path, words: set[str]) -> tuple[str, ...] | None:
    """Return the command for a server among the dependencies, or for a file to run."""
    for names, gateway, command in _PYTHON_SERVERS:
        app = _find_python_app(folder, gateway) if names & words else None
        if app is not None:
            return ("sh", "-c", f"exec {_PYTHON} -m {command.format(app)}")
    if (folder / "manage.py").is_file():
        return ("sh", "-c", f'exec {_PYTHON} manage.py runserver --noreload "$HOST:$PORT"')
    file = next((name for name in ("main.py", "app.py") if (folder / name).is_file()), None)
    return (_PYTHON, file) if file else None


def _find_python_app(folder: Path, gateway: str) -> str | None:
    """Return the first `module:name` of an application."""
    for name in ("main.py", "app.py", gateway):
        for path in (folder / name, *sorted(folder.glob(f"*/{name}"))):
            found = re.search(r"(?m)^(app|application)\b[^=\n]*=(?!=)", _read(path))
            parts = path.relative_to(folder).with_suffix("").parts
            if found and all(part.isidentifier() for part in parts):
                return f"{'.'.join(parts)}:{found[1]}"
    return None


def _find_node(folder: Path) -> _Program | None:
    package = _parse(folder / "package.json", json.loads)
    if package is None:
        return None
    name = _get_text(package, "name").split("/")[-1]
    script = _get_text(package, "scripts", "start")
    if not script:
        return _Program("Node.js", name, None, "package.json has no script start. Add [process].")
    plain = re.fullmatch(r"node((?: [\w./=-]+)+)", script)
    run: tuple[str, ...] = ("{node}", *plain[1].split()) if plain else ("{npm}", "start")
    install = "ci" if (folder / "package-lock.json").is_file() else "install"
    has_build = bool(_get_text(package, "scripts", "build"))
    requires = (_require("node", _get_text(package, "engines", "node")), "npm")
    build = (("{npm}", install), *((("{npm}", "run", "build"),) if has_build else ()))
    process = ProcessTable(requires=requires, build=build, run=run)
    return _Program("Node.js", name, process, f"[process] starts the service by: {script}")


def _require(tool: str, version: str) -> str:
    """Return a requirement of a tool, in at least the first version of a text if it has one."""
    found = _VERSION.search("".join(version.split()))
    return f"{tool}>={found[0]}" if found else tool


def _resolve(text: str, values: dict[str, str]) -> str:
    """Return a text of a pom.xml with its properties replaced, also those in their values."""
    for _ in range(3):
        text = re.sub(r"\$\{([^}]+)\}", lambda found: values.get(found[1], found[0]), text)
    return text


def _read(path: Path, most_bytes: int = _MOST_MANIFEST_BYTES) -> str:
    """Return the text of a file, or nothing if it is missing or larger than `most_bytes`."""
    try:
        if path.is_file() and path.stat().st_size <= most_bytes:
            return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        pass
    return ""


def _parse(path: Path, load: Callable[[str], object]) -> JsonObject | None:
    """Return the content of a manifest, or None if it is missing or not valid."""
    try:
        document = load(_read(path)) if path.is_file() else None
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _get_text(document: object, *keys: str) -> str:
    """Return the text at a key of the innermost table, or nothing."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, str) else ""


def _make_slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:60].strip("-")

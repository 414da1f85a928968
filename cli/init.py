"""`tacho init`: write a first `tacho.toml` and a first load for the service of a repository."""

import json
import shlex
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError

from backend.core.catalog.own.compose import ComposeService
from backend.core.catalog.own.detection import Detected, detect
from backend.core.catalog.own.service_file import (
    DEFAULT_WORSE,
    FILE_NAME,
    ProcessTable,
    ServiceName,
    UrlPath,
    parse_service_file,
    validate_service_file,
)
from backend.core.control_characters import escape_lines
from backend.core.errors import ManifestInvalid
from cli.client import ExitCode
from cli.console import fail

LOAD_FILE = "loads/main.http"

_DEFAULT_PORT = 8080
_DEFAULT_READY = "/"
_NAME: TypeAdapter[str] = TypeAdapter(ServiceName)
_PATH: TypeAdapter[str] = TypeAdapter(UrlPath)
_PATH_RULE = "a path that begins with / and has no spaces and no braces"
_LOOKED_FOR = (
    "It looks for a Dockerfile, go.mod, Cargo.toml, pom.xml, pyproject.toml, requirements.txt, "
    "and a package.json with a script named start."
)
_T = TypeVar("_T", int, str)


def run(
    folder: Annotated[Path, typer.Argument(help="Folder of the repository.")] = Path(),
    name: Annotated[
        str | None, typer.Option(help="Name of the service. Default: from its manifest.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port on which the service listens.")
    ] = None,
    ready: Annotated[
        str | None, typer.Option(help="Path that answers 200 once the service is ready.")
    ] = None,
    path: Annotated[
        str | None, typer.Option(help="Path of the first GET request of the load.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing; use defaults.")] = False,
) -> None:
    """Write a first tacho.toml and loads/main.http for the service of a repository.

    Exit codes: 0 written, 1 a file cannot be written, 2 refused.
    """
    file, load = folder / FILE_NAME, folder / LOAD_FILE
    detected = _detect(folder, may_overwrite=force)
    keeps_load = load.exists() and not force
    asks = not yes and sys.stdin.isatty()
    name = _check("--name", name or detected.name, _NAME, "lower-case letters, digits and hyphens")
    known_port = port or detected.port
    port = known_port or _ask("Port of the service", _DEFAULT_PORT, asks)
    known_ready = ready or detected.ready
    ready = known_ready or _ask("Path that answers 200 once it is ready", _DEFAULT_READY, asks)
    ready = _check("--ready", ready, _PATH, _PATH_RULE)
    path = path or _ask("Path of the first request", ready, asks and not keeps_load)
    path = _check("--path", path, _PATH, _PATH_RULE)
    text = render_service_file(detected, name=name, port=port, ready=ready)
    try:
        validate_service_file(tomllib.loads(text), text, file)
        if not keeps_load:
            _write(load, render_load(path))
        _write(file, text)
        parse_service_file(file)
    except ManifestInvalid as error:
        fail(escape_lines(error.detail), ExitCode.REFUSED)
    contents = [*(["Dockerfile"] if detected.docker else []), *detected.languages]
    typer.echo(f"Found: {', '.join(contents)}\n  name   {name}\n  port   {port}\n  ready  {ready}")
    guesses = list(detected.notes)
    if known_port is None and not asks:
        guesses.append(f"No file names the port of the service, so `port` is {port}.")
    if known_ready is None and not asks:
        guesses.append(f"No path for readiness was found, so `ready` is {ready}.")
    if guesses:
        typer.echo(escape_lines("\n  - ".join(["Check these guesses:", *guesses])))
    _print_next(file, load, keeps_load=keeps_load)


def _print_next(file: Path, load: Path, *, keeps_load: bool) -> None:
    """Print which files were written and the next command."""
    typer.echo(f"Wrote {file}." if keeps_load else f"Wrote {file} and {load}.")
    if keeps_load:
        typer.echo(f"{load} exists and was not changed. --force overwrites it.")
    folder = file.parent
    option = "" if folder.resolve() == Path.cwd() else f" --folder {shlex.quote(str(folder))}"
    typer.echo(f"Next: tacho check{option}")


def render_service_file(
    detected: Detected, *, name: str, port: int, ready: str, schema_url: str | None = None
) -> str:
    """Return the text of a first `tacho.toml`.

    Args:
        schema_url: address of the folder with `tacho.schema.json`, for editors.
    """
    compose = detected.compose or ComposeService(name)
    worse = "\n".join(f'# {metric} = "{percent}"' for metric, percent in DEFAULT_WORSE.items())
    schema = f"#:schema {schema_url.rstrip('/')}/tacho.schema.json\n" if schema_url else ""
    parts = [
        f"{schema}# Describes this service to Tacho. To check this file, run: tacho check\n",
        _SERVICE.format(name=_quote(name), port=port, ready=_quote(ready), **_find_needs(compose)),
        _DOCKER.format(dockerfile=_quote(compose.dockerfile)) if detected.docker else "",
        _render_process(detected.process) if detected.process else "",
        _LOADS.format(file=_quote(LOAD_FILE), worse=worse),
    ]
    return "\n".join(part for part in parts if part)


def _find_needs(compose: ComposeService) -> dict[str, str]:
    """Return the lines about backing services and variables, as comments if there are none."""
    backing, variables = '# backing = ["postgres"]', '# environment = { LOG_LEVEL = "warn" }\n'
    if compose.backing:
        backing = f"backing = {_quote(compose.backing)}"
    if compose.environment:
        lines = [f"{name} = {_quote(value)}\n" for name, value in compose.environment.items()]
        variables = "\n[service.environment]\n" + "".join(lines)
    return {"backing": backing, "environment": variables}


def render_load(path: str) -> str:
    """Return the text of the first file of requests."""
    return f"{_REQUESTS}\n### First request\nGET {path}\n"


def _detect(folder: Path, *, may_overwrite: bool) -> Detected:
    """Return what the repository contains. End the command if no `tacho.toml` can be written."""
    if not folder.is_dir():
        fail(f"{folder} is not a folder. Name the folder of a repository.", ExitCode.REFUSED)
    if (folder / FILE_NAME).exists() and not may_overwrite:
        fail(f"{folder / FILE_NAME} exists. --force overwrites it.", ExitCode.REFUSED)
    detected = detect(folder)
    if not detected.docker and detected.process is None:
        reasons = [note for note in detected.notes if "[process]" in note]
        sentences = [f"Nothing in {folder} shows how the service starts.", *reasons, _LOOKED_FOR]
        fail(escape_lines(" ".join(sentences)), ExitCode.REFUSED)
    return detected


def _ask(question: str, default: _T, asks: bool) -> _T:
    """Return the answer to a question, or the default if nobody is asked."""
    if not asks:
        return default
    answer: _T = typer.prompt(question, default=default, type=type(default))
    return answer


def _check(option: str, value: str, kind: TypeAdapter[str], rule: str) -> str:
    """Return a value of this type. End the command if it is not valid."""
    try:
        kind.validate_python(value)
    except ValidationError:
        fail(f"{option} {value}: write {rule}.", ExitCode.REFUSED)
    return value


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.")


def _render_process(process: ProcessTable) -> str:
    build = "".join(f"    {_quote(command)},\n" for command in process.build)
    return _PROCESS.format(requires=_quote(process.requires), build=build, run=_quote(process.run))


def _quote(value: str | Sequence[str]) -> str:
    """Return a text or a list of texts in TOML."""
    # JSON does not escape DEL, which TOML forbids.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


_SERVICE = """\
[service]
name = {name}
# The service gets this port as the variable PORT.
port = {port}
# This path answers 200 once the service can answer everything else.
ready = {ready}
# The most memory that the service may use:
# memory_mb = 1024
# Tacho starts these before the service, new in each trial. POSTGRES_URL, REDIS_URL, RABBITMQ_URL
# and ETCD_URL hold their addresses:
{backing}
# Further variables of the service, which may contain such an address as ${{POSTGRES_URL}}:
{environment}"""
_DOCKER = """\
# How the service runs in Docker.
[docker]
dockerfile = {dockerfile}
# A command of the image that fills the backing services before the service starts:
# prepare = ["./migrate"]
"""
_PROCESS = """\
# How the service runs without Docker.
[process]
# Tools that the machine must have. Commands name them in braces.
requires = {requires}
# These commands run in a copy of the repository.
build = [
{build}]
# A command that fills the backing services before the service starts:
# prepare = ["./migrate"]
# The service must listen on the port PORT of the address HOST.
run = {run}
"""
_LOADS = """\
[loads.main]
http = {file}
kind = "rate"
# Requests per second.
rate_rps = 50
# The load is measured for duration_seconds, after warm_up_seconds.
# warm_up_seconds = 30
# duration_seconds = 15

# The largest changes for the worse that a comparison of two versions accepts. These are the
# defaults. The table replaces all of them.
# [loads.main.worse]
{worse}

# How two versions are compared. `minutes` is the most time, and `ignore` lists what may differ
# between equal responses: names of headers and paths of JSON bodies.
# [guard]
# minutes = 15
# ignore = ["date", "$.items[*].created_at"]
"""
_REQUESTS = """\
# The requests of a load. A line with ### begins each request.
#
# To send a request three times as often as the others, add a weight:
#
#     ### Search
#     # @weight 3
#     GET /search?q=tacho
#
# To use a value of a response, give its request a name. That request is sent before the load, and
# in the load only if it has a weight:
#
#     ### Sign in
#     # @name login
#     POST /login
#     Content-Type: application/json
#
#     {"user": "ada", "password": "secret"}
#
#     ### Account
#     GET /account
#     Authorization: Bearer {{login.response.body.$.token}}
"""

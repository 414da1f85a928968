"""Shared by the commands for own services: versions, their catalogues, and the bench."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import (
    FILE_NAME,
    ServiceFile,
    find_line,
    parse_service_file,
)
from backend.core.config import ROOT, Settings
from backend.core.control_characters import escape_lines
from backend.core.errors import InvalidRequest, ManifestInvalid, NotFound, TachoError, TooLarge
from backend.core.numbers import join_words
from backend.core.results.guard.document import ServiceVersion
from backend.core.units import RuntimeKind
from backend.platform.processes.guard import attend_this_process
from backend.platform.processes.parts import WORKER_CLEANING
from cli.client import ExitCode
from cli.console import fail
from cli.repository import Repository
from worker.bench.bench import Bench, survey_bench
from worker.guard.measuring import NotMeasurable
from worker.guard.versions import LoadCheck, check_load

RuntimeOption = Annotated[
    RuntimeKind | None,
    typer.Option(help="Where the service runs: docker or process. Default: TACHO_RUNTIME."),
]
FolderOption = Annotated[
    Path, typer.Option("--folder", help=f"A folder of the service with {FILE_NAME}.")
]
_LOG_LINES = 20
# The table of tacho.toml that decides about a stage.
_PLACES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "building": (["process", "build"], ["docker", "dockerfile"]),
    "starting": (["process", "run"], ["service", "ready"]),
}


def begin(folder: Path) -> Path:
    """Begin a command for the service in a folder, and return the folder's absolute path.

    The command starts again below a guard: if it is killed, nothing stays behind. It then leaves
    the folder, so that a `.env` of the service does not change the settings of Tacho, and Tacho's
    data are not stored there.
    """
    attend_this_process("cli", WORKER_CLEANING)
    place = folder.resolve()
    os.chdir(_find_home())
    return place


@contextmanager
def end_on_failure() -> Iterator[None]:
    """End the command with a message and its exit code if the work fails or is interrupted."""
    try:
        yield
    except NotMeasurable as error:
        fail(escape_lines(error.detail), ExitCode.NOT_USABLE)
    except (InvalidRequest, NotFound, TooLarge) as error:
        fail(escape_lines(error.detail), ExitCode.REFUSED)
    except TachoError as error:
        fail(escape_lines(error.detail))
    except KeyboardInterrupt:
        fail("Interrupted. Nothing was decided.", ExitCode.DETACHED)


def _find_home() -> Path:
    """Return the folder of the installation: the clone, or a folder of the user for a package."""
    if (ROOT / "pyproject.toml").is_file():
        return ROOT
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "tacho"
    home.mkdir(parents=True, exist_ok=True)
    return home


def open_own_bench(settings: Settings, runtime: RuntimeKind | None, file: ServiceFile) -> Bench:
    """Return the bench of this machine. A service with one recipe decides about the runtime.

    Raises:
        RuntimeUnavailable: no runtime works here.
    """
    if runtime is None and file.docker is None:
        runtime = RuntimeKind.PROCESS
    if runtime is None and file.process is None:
        runtime = RuntimeKind.DOCKER
    # Notes about the CPUs are for operators: `tacho doctor` shows them.
    logging.getLogger("worker").setLevel(logging.ERROR)
    if runtime is not None:
        settings = settings.model_copy(update={"runtime": runtime.value})
    return survey_bench(settings)


def export_version(repository: Repository, version: ServiceVersion, place: Path) -> Path:
    """Export a version; return its folder, which has the same name for all versions.

    The name is part of the digest of a build.
    """
    target = place / "service"
    repository.export(version, target)
    return target


def make_catalogue(
    bench: Bench, source: Path, loads: ServiceFile, load_source: Path, scripts: Path
) -> OwnCatalogue:
    """Return the catalogue of a version, with the loads of another or of the same version.

    A version without a `tacho.toml` is built and started as the other version is.
    """
    own = source / FILE_NAME
    service = parse_service_file(own) if own.is_file() else loads
    _check_recipe(bench.runtime.kind, service, source)
    return OwnCatalogue(bench.services_dir, service, source, loads, load_source, scripts)


def _check_recipe(runtime: RuntimeKind, service: ServiceFile, source: Path) -> None:
    """Raise ManifestInvalid if a service cannot be built in a runtime."""
    other = RuntimeKind.DOCKER if runtime is RuntimeKind.PROCESS else RuntimeKind.PROCESS
    path = source / FILE_NAME
    recipe = service.docker if runtime is RuntimeKind.DOCKER else service.process
    if recipe is None:
        raise ManifestInvalid(
            f"{FILE_NAME} has no table [{runtime}]. Add it, or use --runtime {other}."
        )
    if runtime is RuntimeKind.DOCKER and service.docker and not service.docker.image:
        name = service.docker.dockerfile
        if not (source / name).is_file():
            line = find_line(path.read_text(encoding="utf-8"), ["docker", "dockerfile"])
            raise ManifestInvalid(
                f"{FILE_NAME}:{line}: docker.dockerfile: {name} does not exist. Name the right "
                f"file, or use --runtime {other}."
            )


def select_loads(file: ServiceFile, wanted: Sequence[str] | None) -> list[str]:
    """Return the names of the loads to send; raise NotFound for an unknown name."""
    for name in wanted or []:
        if name not in file.loads:
            known = join_words(list(file.loads))
            raise NotFound(f"--load {name}: {FILE_NAME} has no such load; it has {known}.")
    return list(dict.fromkeys(wanted or file.loads))


def check_loads(
    bench: Bench, catalogue: OwnCatalogue, loads: Sequence[str], what: str, console: Console
) -> dict[str, LoadCheck]:
    """Check a version under each load, and print what happens. Stops at the first failure."""
    checks = {}
    own = replace(bench, own_catalogue=catalogue)
    for load in loads:
        with console.status(f"{what}, {load}: building") as status:

            def show(stage: str, name: str = load) -> None:
                status.update(f"{what}, {name}: {stage.replace('_', ' ')}")

            checks[load] = check_load(own, catalogue, load, show)
        if not checks[load].outcome.has_passed:
            break
        outcome = checks[load].outcome
        p50 = "" if outcome.latency_p50_ms is None else f", p50 {outcome.latency_p50_ms:.1f} ms"
        console.print(
            f"[green]✓[/] {escape(what)}, {load}: ready after {outcome.boot_ms or 0:.0f} ms, "
            f"{outcome.requests} requests{p50}",
            highlight=False,
        )
    return checks


def explain_failure(check: LoadCheck, load: str, catalogue: OwnCatalogue, bench: Bench) -> str:
    """Return what failed, the line of `tacho.toml` that decides about it, and the last output."""
    outcome = check.outcome
    failed = [check for check in outcome.checks if not check["passed"]]
    details = [
        f"  {check['name']}: expected {check['expected']}, got {check['got']}" for check in failed
    ]
    if outcome.is_refused:
        file = catalogue.loads.loads[load].file
        return "\n".join([f"{file}: the service does not answer as expected:", *details])
    path = catalogue.source / FILE_NAME
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    process, docker = _PLACES.get(outcome.failed_stage, (["loads", load], ["loads", load]))
    keys = process if bench.runtime.kind is RuntimeKind.PROCESS else docker
    place = f"{FILE_NAME}:{find_line(text, keys)} ({'.'.join(keys)})"
    # A service that wrote nothing leaves only the log of its build.
    is_of_build = outcome.log.startswith("$ ") and outcome.failed_stage != "building"
    lines = [] if is_of_build else outcome.log.strip().splitlines()[-_LOG_LINES:]
    log = ["Its last output:", *(f"  {line}" for line in lines)] if lines else []
    return "\n".join([f"{place}: {outcome.failure}", *details, *log])

"""Shared by the commands for own services: versions, the bench, and what is shown."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Self

import typer
from rich.console import Console
from rich.markup import escape

from backend.core.catalog.own.service_file import FILE_NAME, ServiceFile
from backend.core.config import ROOT, Settings
from backend.core.control_characters import escape_control_characters, escape_lines
from backend.core.errors import InvalidRequest, NotFound, TachoError, TooLarge
from backend.core.results.guard.document import MOST_MINUTES, ServiceVersion
from backend.core.units import RuntimeKind
from backend.platform.processes.guard import attend_this_process
from backend.platform.processes.parts import WORKER_CLEANING
from cli.client import ExitCode
from cli.console import fail
from cli.repository import Repository
from worker.bench.bench import Bench, survey_bench
from worker.guard.measuring import NotMeasurable

RuntimeOption = Annotated[
    RuntimeKind | None,
    typer.Option(help="Where the service runs: docker or process. Default: TACHO_RUNTIME."),
]
FolderOption = Annotated[
    Path, typer.Option("--folder", help=f"A folder of the service with {FILE_NAME}.")
]

LoadsOption = Annotated[
    list[str] | None, typer.Option("--load", help="Send only this load; may be repeated.")
]
MinutesOption = Annotated[
    int | None,
    typer.Option(
        min=1, max=MOST_MINUTES, help="Limit for the trials. Default: that of tacho.toml."
    ),
]


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


class ConsoleDisplay:
    """Shows on a console how far a guard is, within a context."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("")

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def show(self, doing: str, *, is_logged: bool = False) -> None:
        """Show what happens now. The log of a pipeline has only lines with `is_logged`."""
        shown = _escape(doing)
        self._status.update(shown)
        if is_logged and not self._console.is_terminal:
            self._console.print(shown, highlight=False)

    def note(self, line: str) -> None:
        """Print that something has passed."""
        self._console.print(f"[green]✓[/] {_escape(line)}", highlight=False)


def _escape(text: str) -> str:
    """Return a text of a service or a bench host, without control over the terminal."""
    return escape(escape_control_characters(text))

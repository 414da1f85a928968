"""`tacho bundle`: a file for support, without secrets."""

import io
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from backend.core.config import Settings
from backend.platform.diagnosis.support_bundle import SupportBundle
from cli.console import fail, read_settings
from cli.doctor import show_machine

_WIDTH = 160


def bundle(
    file: Annotated[Path, typer.Argument(help="New file, such as tacho-bundle.zip.")],
) -> None:
    """Write versions, settings, logs and the state of this installation to a file for support.

    Secrets and e-mail addresses are removed. Logs can name runs and hosts: read them before you
    send the file. Tacho may be running or not.
    """
    settings = read_settings()
    try:
        names = SupportBundle(settings, lambda: _examine(settings)).write(file)
    except FileExistsError:
        fail(f"{file} exists. Name a new file, or delete this one.")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror or error}. Name another file.")
    print(f"{file}: {', '.join(names)}. Read it before you send it.")


def _examine(settings: Settings) -> str:
    """Return what `tacho doctor` reports about this machine."""
    output = io.StringIO()
    show_machine(settings, Console(file=output, width=_WIDTH, highlight=False, no_color=True))
    return output.getvalue()

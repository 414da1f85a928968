"""End commands with a message on standard error and an exit code."""

from typing import NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend.core.config import Settings, explain_faults, get_settings


def fail(message: str, code: int = 1) -> NoReturn:
    """Print the message in red and end the command with `code`."""
    # Text between colons is not the name of an emoji.
    Console(stderr=True, emoji=False).print(
        f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True
    )
    raise typer.Exit(code)


def read_settings() -> Settings:
    """Return the settings. End the command if a variable has an invalid value."""
    try:
        return get_settings()
    except ValidationError as error:
        fail(explain_faults(error))

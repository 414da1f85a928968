"""How commands end badly: one message on standard error, one exit code."""

from typing import NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend.core.config import Settings, explain_faults, get_settings


def fail(message: str, code: int = 1) -> NoReturn:
    """Prints the message in red and ends the command with `code`."""
    Console(stderr=True).print(
        f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True
    )
    raise typer.Exit(code)


def read_settings() -> Settings:
    """The settings; ends the command when a variable holds what it must not."""
    try:
        return get_settings()
    except ValidationError as error:
        fail(explain_faults(error))

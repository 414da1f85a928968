"""`tacho certificates`: create the certificates of PostgreSQL and Redis."""

from pathlib import Path
from typing import Annotated

import typer

from backend.core.errors import TachoError
from backend.platform.credentials.certificates import Certificates
from cli.console import fail

Folder = Annotated[Path, typer.Argument(help="Folder for the certificates and their keys.")]
Names = Annotated[
    list[str],
    typer.Argument(help="Names and IP addresses under which bench hosts reach the servers."),
]


def run(folder: Folder, names: Names) -> None:
    """Create a CA and a certificate for PostgreSQL and Redis, unless they are valid."""
    certificates = Certificates(folder)
    try:
        is_new = certificates.create(names)
    except TachoError as error:
        fail(error.detail)
    state = "is new. Restart PostgreSQL and Redis" if is_new else "is valid"
    print(f"{certificates.server} {state}. Bench hosts trust {certificates.ca}.")

"""`python -m worker.runtime.bases`: build or renew base images before a run."""

from pathlib import Path
from typing import Annotated

import typer

from backend.core.config import get_settings
from backend.core.errors import ManifestInvalid
from worker.runtime.docker.bases import Bases
from worker.runtime.docker.engine import connect
from worker.runtime.docker.pins import BasePins
from worker.runtime.errors import BuildFailed, RuntimeFailure

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def _explain() -> None:
    """Base images of services."""


@app.command()
def build(
    names: Annotated[list[str] | None, typer.Argument(help="Bases to build; all if none")] = None,
    folder: Annotated[Path, typer.Option(help="The bases folder")] = Path("services/bases"),
) -> None:
    """Build the Debian-built bases that the engine does not have, and print all references."""
    try:
        bases = Bases.load(folder, "debian")
        with connect() as engine:
            for name in names or bases.bases:
                bases.ensure(engine, name, lambda line: typer.echo(line, err=True))
                typer.echo(f"{bases.get(name).variable}={bases.reference(name)}")
    except (RuntimeFailure, ManifestInvalid) as error:
        if isinstance(error, BuildFailed):
            typer.echo(error.log, err=True)
        typer.echo(error.detail, err=True)
        raise typer.Exit(1) from error


@app.command()
def renew() -> None:
    """Resolve the tags of the official bases that this host uses again, and print what changed.

    The next trials build on the new images, so their results belong to new builds.
    """
    try:
        changed = BasePins.of(get_settings().data).renew()
    except RuntimeFailure as error:
        typer.echo(error.detail, err=True)
        raise typer.Exit(1) from error
    for before, after in changed:
        typer.echo(f"{before}\n  is now {after}")
    if not changed:
        typer.echo("No base image has changed.")


if __name__ == "__main__":
    app()

"""`python -m worker.verify.matrix` shows which services passed here (`make verified`)."""

import typer

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import Mode
from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.units import RuntimeKind
from worker.verify.record import Record


def write_matrix(catalogue: Catalogue, record: Record) -> str:
    """Return a Markdown table with the runtimes in which each framework passed each scenario.

    `–` means not implemented, and an empty cell means not passed. The last column is the date of
    the newest pass.
    """
    shown = {
        slug: manifest
        for slug, (manifest, _) in catalogue.frameworks.items()
        if manifest.mode is not Mode.REFERENCE
    }
    scenarios = [
        slug
        for slug in catalogue.scenarios
        if any(slug in manifest.scenarios for manifest in shown.values())
    ]
    lines = [_row("framework", *scenarios, "last"), _row(*["---"] * (len(scenarios) + 2))]
    for slug, manifest in sorted(shown.items()):
        passed = {
            scenario: {
                kind: at
                for kind in RuntimeKind
                if (at := record.passed_at(kind, slug, scenario)) is not None
            }
            for scenario in scenarios
        }
        cells = [
            ", ".join(passed[scenario]) if scenario in manifest.scenarios else "–"
            for scenario in scenarios
        ]
        last = max((at for ats in passed.values() for at in ats.values()), default="")
        lines.append(_row(slug, *cells, last[:10]))
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print which services have passed on this machine, as Markdown."""
    settings = get_settings()
    try:
        catalogue = Catalogue(settings.services_dir)
        typer.echo(write_matrix(catalogue, Record(settings.data / "verified.json")))
    except TachoError as error:
        typer.echo(f"error: {error.detail}", err=True)
        raise typer.Exit(2) from error


if __name__ == "__main__":
    typer.run(main)

"""`tacho demo`: load example runs into a running Tacho, or record them."""

from pathlib import Path
from typing import Annotated

import typer

from backend.core.catalog.folders import Catalogue
from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.numbers import agree, count_of
from backend.core.operations.examples.bundle import list_runs, pack_run, read_bundle, write_bundle
from backend.core.operations.examples.bundle_check import find_bundle_faults
from backend.core.operations.examples.claim_check import find_open_claims
from backend.core.operations.examples.service import FOLDER
from backend.core.runs import repository
from backend.core.runs.status import RUN_ENDS
from cli.client import ask, get_address, open_client
from cli.console import fail, read_settings

_PATH = "/api/v1/examples"
# Tacho computes the statistics of all runs again.
_LOAD_SECONDS = 300


def run(
    *,
    remove: Annotated[bool, typer.Option(help="Remove the example data instead.")] = False,
    record: Annotated[
        str | None,
        typer.Option(help="Write this run of DATABASE_URL into services/studies/examples instead."),
    ] = None,
    check: Annotated[
        bool, typer.Option(help="List what is wrong with the example files instead.")
    ] = False,
    url: Annotated[str | None, typer.Option(help="Address of Tacho.")] = None,
) -> None:
    """Load example runs into a running Tacho. They were measured elsewhere and are marked as
    examples."""
    settings = read_settings()
    if check:
        _check(settings)
        return
    if record is not None:
        _record(record, settings.services_dir / FOLDER)
        return
    with open_client(settings, url) as client:
        client.timeout = _LOAD_SECONDS
        if remove:
            removed = ask(client, "DELETE", _PATH)["runs"]
            typer.echo(f"Removed {count_of(removed, 'example run')}.")
            return
        items = ask(client, "PUT", _PATH)["items"]
        for item in items:
            count = item["left_out"]
            missing = f"{count_of(count, 'cell')} {agree(count, 'is', 'are')} missing"
            left = f"; {missing} in this catalogue" if count else ""
            typer.echo(f"{item['title']}: {get_address(client, '/r/' + item['slug'])}{left}")
        loaded = f"{count_of(len(items), 'example')} {agree(len(items), 'is', 'are')} loaded."
        typer.echo(f"{loaded} `tacho demo --remove` removes {agree(len(items), 'it', 'them')}.")


def _check(settings: Settings) -> None:
    """Print the faults of all example files.

    Exit codes: 0 no file has faults, 1 a file has faults. Files of older versions are loaded with
    their faults; newer ones are refused if their results have faults.
    """
    studies = Catalogue(settings.services_dir).studies
    faulty = 0
    for path in sorted((settings.services_dir / FOLDER).glob("*.json.gz")):
        bundle = read_bundle(path)
        slug = list_runs(bundle)[0]["run"]["study"]
        study = studies[slug][0] if slug in studies else None
        faults = find_bundle_faults(bundle, study)
        if study is not None:
            faults += find_open_claims(bundle, study)
        typer.echo(f"{path.name}: {count_of(len(faults), 'fault')}")
        for fault in faults:
            typer.echo(f"  {fault.result or 'the run'} {fault.detail}")
        faulty += bool(faults)
    if faulty:
        files = f"{count_of(faulty, 'file')} {agree(faulty, 'has', 'have')} faults."
        fail(f"{files} Record {agree(faulty, 'it', 'them')} again: make record-examples.")


def _record(name: str, folder: Path) -> None:
    with unit_of_work() as session:
        found = repository.get_run(session, name)
        if found.status not in RUN_ENDS:
            fail(f"Run {found.slug} is {found.status}. Record it when it has ended.")
        path = folder / f"{found.study or found.slug}.json.gz"
        write_bundle(pack_run(session, found), path)
    typer.echo(f"{path}: {path.stat().st_size:,} bytes")

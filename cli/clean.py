"""`tacho clean`: remove builds that this bench host needs no more."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from sqlalchemy.exc import SQLAlchemyError

from backend.core.catalog.repository import find_host_of_queue
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.errors import TachoError
from backend.core.schema import check_schema
from backend.platform.errors import PlatformError
from cli.client import ExitCode
from cli.console import fail, read_settings
from cli.database import find_database
from worker.bench.bench import Bench, survey_bench
from worker.bench.reservation import HostsBusy
from worker.cleanup.cleaning import remove, reserved_host, survey
from worker.cleanup.decisions import CleanupDecision

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the table, and remove nothing.")]
_MIB = 1024**2


def run(dry_run: DryRun = False) -> None:
    """Remove old builds, caches, base images and load generators of this machine.

    It removes what was not used for TACHO_KEEP_DAYS, what exceeds TACHO_KEEP_GB, and on a disk
    with less free space than TACHO_HOST_FREE_MB the least recently used. Builds that the
    catalogue, unfinished runs or confirmation runs may need stay. The worker does the same every
    six hours, and when a disk begins to lack space.
    Exit codes: 0 done, 1 the database or the engine does not answer, 2 a trial uses this host.
    """
    settings = read_settings()
    try:
        bench = _find_bench(settings)
        if dry_run:
            decisions = survey(bench)
            _show(decisions, [decision for decision in decisions if decision.is_removed], dry_run)
            return
        with reserved_host():
            decisions = survey(bench)
            removed = remove(decisions)
    except HostsBusy as busy:
        fail(f"{busy.detail} Try again when it has ended.", ExitCode.REFUSED)
    except TachoError as error:
        fail(error.detail)
    except SQLAlchemyError as error:
        fail(f"The database does not answer: {str(error).splitlines()[0]}")
    _show(decisions, removed, dry_run)


def _find_bench(settings: Settings) -> Bench:
    """Return this bench host, which its worker has registered; raise TachoError."""
    os.environ["DATABASE_URL"] = find_database(settings)
    get_settings.cache_clear()
    with unit_of_work() as session:
        check_schema(session)
        host = find_host_of_queue(session, settings.bench_host)
    if host is None:
        raise PlatformError(
            f"The installation has no bench host {settings.bench_host!r}. Start the worker of this "
            "machine once, or set TACHO_BENCH_HOST."
        )
    return replace(survey_bench(get_settings()), host_id=host.id, name=host.name)


def _show(
    decisions: Sequence[CleanupDecision], removed: Sequence[CleanupDecision], is_dry: bool
) -> None:
    data = get_settings().data
    table = Table("What", Column("Name", overflow="fold"), "Size", "Last used", "Result")
    for decision in decisions:
        item = decision.item
        if decision in removed:
            result = "would be removed" if is_dry else "removed"
        else:
            result = "not removed, see above" if decision.is_removed else "kept"
        table.add_row(
            item.kind,
            _shorten(item.name, data),
            _show_size(item.size_bytes),
            f"{item.used_at:%Y-%m-%d}",
            f"{result}: {decision.reason}",
        )
    # A file or a CI log has no terminal width. Square brackets in names are not markup.
    width = None if sys.stdout.isatty() else 200
    console = Console(highlight=False, markup=False, width=width)
    console.print(table if decisions else "This machine stores no builds.")
    console.print(f"Folders are in {data}.", soft_wrap=True)
    freed_bytes = sum(decision.item.size_bytes for decision in removed)
    total_bytes = sum(decision.item.size_bytes for decision in decisions)
    verb = "Would free" if is_dry else "Freed"
    console.print(f"{verb} {_show_size(freed_bytes)} of {_show_size(total_bytes)}.")


def _shorten(name: str, data: Path) -> str:
    """Return the name of an image, or the path of a folder in the data folder."""
    return name.removeprefix(f"{data}/").removeprefix(f"{data.resolve()}/")


def _show_size(size_bytes: int) -> str:
    return f"{size_bytes / _MIB:,.0f} MiB"

"""`python -m worker.verify` checks that services honour the contract (`make verify-service`)."""

import math
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend.core.catalog.folders import Catalogue
from backend.core.catalog.manifest import Mode
from backend.core.config import explain_faults, get_settings
from backend.core.errors import TachoError
from backend.core.units import RuntimeKind
from backend.platform.processes.guard import attend_this_process
from backend.platform.processes.parts import WORKER_CLEANING
from worker.bench.bench import survey_bench
from worker.verify.every import VerifyOptions, count_at_once, verify_every
from worker.verify.record import Record
from worker.verify.turns import order_by_turn, read_changes

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    frameworks: Annotated[
        list[str] | None, typer.Argument(help="Slugs of frameworks. Default: all.")
    ] = None,
    scenario: Annotated[
        list[str] | None, typer.Option(help="Verify only this scenario. May be repeated.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Profile of the load. Default: the scenario's first profile.")
    ] = None,
    runtime: Annotated[
        RuntimeKind | None, typer.Option(help="Default: the setting TACHO_RUNTIME.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Skip services that have passed and have not changed.")
    ] = False,
    minutes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Start no service after this many minutes. Recently changed services come first, "
            "then the others in daily turns.",
        ),
    ] = None,
    times: Annotated[
        int, typer.Option(min=1, help="How often to verify each service; all must pass.")
    ] = 1,
    reruns: Annotated[
        int, typer.Option(min=0, help="Repeat a failed verification at most this often.")
    ] = 0,
    at_once: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Services at the same time. Default: as CPUs and memory allow.",
        ),
    ] = None,
) -> None:
    """Build each service, start it, check the contract and send 3 s of load."""
    console = Console(soft_wrap=True)
    try:
        settings = get_settings()
        if runtime is not None:
            settings = settings.model_copy(update={"runtime": runtime.value})
        bench = survey_bench(settings)
        catalogue = bench.read_catalogue()
        chosen = _choose(catalogue, frameworks or [], scenario or [])
        ends = math.inf
        if minutes is not None:
            ends = time.monotonic() + 60 * minutes
            turns = order_by_turn(read_changes(catalogue), datetime.now(UTC))
            chosen = {slug: chosen[slug] for slug in turns if slug in chosen}
        record = Record(settings.data / "verified.json")
        options = VerifyOptions(profile, resume, ends, times, reruns, at_once or count_at_once())
        has_passed = verify_every(console, bench, chosen, record, options)
    except ValidationError as error:
        _fail(explain_faults(error))
    except TachoError as error:
        _fail(error.detail)
    raise typer.Exit(0 if has_passed else 1)


def _fail(message: str) -> NoReturn:
    Console(stderr=True, soft_wrap=True).print(
        f"[bold red]error:[/] {escape(message)}", highlight=False
    )
    raise typer.Exit(2)


def _choose(
    catalogue: Catalogue, frameworks: Sequence[str], scenarios: Sequence[str]
) -> dict[str, list[str]]:
    """Return the scenarios to verify by framework; raises NotFound for an unknown slug."""
    for slug in scenarios:
        catalogue.get_scenario(slug)
    wanted = frameworks or [
        slug
        for slug, (manifest, _) in catalogue.frameworks.items()
        if manifest.mode is not Mode.REFERENCE
    ]
    return {
        slug: [
            name
            for name in catalogue.get_framework(slug)[0].scenarios
            if not scenarios or name in scenarios
        ]
        for slug in wanted
    }


if __name__ == "__main__":
    attend_this_process("worker.verify", WORKER_CLEANING)
    app()

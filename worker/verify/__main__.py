"""`python -m worker.verify`: does a service keep the contract? `make verify-service S=<slug>`."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from worker.bench import Bench, list_unavailable, survey_bench
from worker.verify import report
from worker.verify.record import Record, digest_of
from worker.verify.trial import try_service
from worker.verify.turns import order_by_turn, read_changes


@dataclass(frozen=True)
class Asked:
    """How to go about it: the options of `main`; `ends` is a time of `time.monotonic`."""

    profile: str | None
    resume: bool
    ends: float
    times: int
    reruns: int


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    frameworks: Annotated[
        list[str] | None, typer.Argument(help="Slugs of frameworks; none for all.")
    ] = None,
    scenario: Annotated[
        list[str] | None, typer.Option(help="Only this scenario; may be given again.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Whose load to send; default the scenario's first.")
    ] = None,
    runtime: Annotated[
        RuntimeKind | None, typer.Option(help="Default: as TACHO_RUNTIME says.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Pass over what has passed and has not changed.")
    ] = False,
    minutes: Annotated[
        int | None,
        typer.Option(
            min=1, help="Begin no service later; first what changed lately, then by daily turns."
        ),
    ] = None,
    times: Annotated[int, typer.Option(min=1, help="Verify each so often; all must pass.")] = 1,
    reruns: Annotated[
        int, typer.Option(min=0, help="Try again so often what fails, and say so.")
    ] = 0,
) -> None:
    """Build, start, check the contract, send 3 s of load: for each framework and scenario."""
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
        asked = Asked(profile, resume, ends, times, reruns)
        is_right = _verify_all(console, bench, catalogue, chosen, record, asked)
    except ValidationError as error:
        _fail(explain_faults(error))
    except TachoError as error:
        _fail(error.detail)
    raise typer.Exit(0 if is_right else 1)


def _fail(message: str) -> NoReturn:
    Console(stderr=True, soft_wrap=True).print(
        f"[bold red]error:[/] {escape(message)}", highlight=False
    )
    raise typer.Exit(2)


def _choose(
    catalogue: Catalogue, frameworks: Sequence[str], scenarios: Sequence[str]
) -> dict[str, list[str]]:
    """Which scenarios of which frameworks; raises NotFound for a slug that is none."""
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


def _verify_all(
    console: Console,
    bench: Bench,
    catalogue: Catalogue,
    chosen: Mapping[str, Sequence[str]],
    record: Record,
    asked: Asked,
) -> bool:
    """Whether all that can run here has passed, as far as it came in its time."""
    begun = time.monotonic()
    unavailable = list_unavailable(bench.runtime, catalogue)
    rows: dict[str, dict[str, str]] = {}
    for framework, scenarios in chosen.items():
        rows[framework] = {}
        for scenario in scenarios:
            if framework in unavailable:
                state = report.UNAVAILABLE
            elif asked.resume and record.has(bench, framework, scenario):
                state = report.SKIPPED
            elif time.monotonic() >= asked.ends:
                state = report.UNREACHED
            else:
                state = _verify_one(console, bench, framework, scenario, record, asked)
            rows[framework][scenario] = state
    columns = [name for name in catalogue.scenarios if any(name in row for row in rows.values())]
    reasons = {slug: reason for slug, reason in unavailable.items() if slug in chosen}
    seconds = time.monotonic() - begun
    title = f"Runtime {bench.runtime.kind}, {seconds:.0f} s"
    report.print_matrix(console, title, columns, rows, reasons)
    states = [state for row in rows.values() for state in row.values()]
    console.print(report.summarise(states), highlight=False)
    return bool(states) and report.FAILED not in states


def _verify_one(
    console: Console,
    bench: Bench,
    framework: str,
    scenario: str,
    record: Record,
    asked: Asked,
) -> str:
    """Passed only if each of its times has passed, at first or when it was run again."""
    digest = digest_of(bench, framework, scenario)
    has_passed = all(
        _try_again(console, bench, framework, scenario, asked) for _ in range(asked.times)
    )
    record.put(bench, framework, scenario, digest if has_passed else None)
    return report.PASSED if has_passed else report.FAILED


def _try_again(console: Console, bench: Bench, framework: str, scenario: str, asked: Asked) -> bool:
    for attempt in range(1 + asked.reruns):
        if attempt:
            console.print(f"RERUN {framework} × {scenario}", highlight=False)
        with console.status("") as status:
            outcome = try_service(
                bench,
                framework,
                scenario,
                asked.profile,
                lambda stage: status.update(f"{framework} × {scenario}: {stage.replace('_', ' ')}"),
            )
        report.print_outcome(console, outcome)
        if outcome.has_passed:
            return True
    return False


if __name__ == "__main__":
    app()

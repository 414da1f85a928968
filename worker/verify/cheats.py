"""`python -m worker.verify.cheats` checks that every cheat is caught (`make verify-cheats`).

Each cheat of `services/reference/cheats/` runs as a trial with a load that triggers it. Honest
services run in the same way as a control. The last line is a JSON object: `caught` is a number,
`missed` and `accused` list `<runtime>/<service>/<scenario>`. The exit code is 1 if a cheat was
missed, or caught by another check than its manifest names, or if an honest service was accused.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from backend.core.catalog.cheats import CatchingCheck
from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.numbers import count_of
from backend.core.units import RuntimeKind
from worker.bench.bench import Bench, survey_bench
from worker.runtime.errors import RuntimeUnavailable
from worker.verify.suspects import Suspect, list_suspects, sample_suspects
from worker.verify.trial import VerifyOutcome, try_service

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

_SHOWN_CHARACTERS = 300
_WIDTH = 140


@dataclass(frozen=True)
class SuspectTrial:
    """A trial of a cheat or of an honest service."""

    runtime: RuntimeKind
    suspect: Suspect
    outcome: VerifyOutcome

    @property
    def name(self) -> str:
        """Return runtime, service and scenario."""
        return f"{self.runtime}/{self.suspect.framework}/{self.suspect.scenario}"

    @property
    def found(self) -> list[CatchingCheck]:
        """Return the checks that caught the service."""
        return find_catching_checks(self.outcome)

    @property
    def is_right(self) -> bool:
        """Return whether a cheat was caught by an expected check, or an honest service passed."""
        if self.suspect.is_cheat:
            return not set(self.found).isdisjoint(self.suspect.caught_by)
        return self.outcome.has_passed


@app.command()
def main(
    slugs: Annotated[
        list[str] | None, typer.Argument(help="Slugs of cheats. Default: all, and the control.")
    ] = None,
    runtime: Annotated[
        RuntimeKind | None, typer.Option(help="Default: every runtime that works here.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Draw this many cheats, and a third as many controls.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 1,
) -> None:
    """Run each cheat and each honest service, and compare what catches it with its manifest."""
    progress = Console(stderr=True, soft_wrap=True)  # not part of a recorded result
    trials: list[SuspectTrial] = []
    try:
        for bench in survey(progress, runtime):
            suspects = list_suspects(bench.read_catalogue(), slugs or [])
            if count is not None:
                suspects = sample_suspects(suspects, count, seed)
            trials += [_try(progress, bench, suspect) for suspect in suspects]
    except TachoError as error:
        progress.print(f"error: {error.detail}", highlight=False)
        raise typer.Exit(2) from error
    _print_table(Console(width=_WIDTH), trials)
    summary = summarise(trials)
    typer.echo(json.dumps(summary))
    raise typer.Exit(0 if summary["met"] else 1)


def find_catching_checks(outcome: VerifyOutcome) -> list[CatchingCheck]:
    """Return the checks that caught a service, in the order in which they ran."""
    if outcome.is_refused:
        return [CatchingCheck.VERIFICATION]
    known = set(CatchingCheck)
    return [
        CatchingCheck(warning.verdict)
        for warning in outcome.verdicts
        if warning.verdict.value in known
    ]


def summarise(trials: Sequence[SuspectTrial]) -> dict[str, Any]:
    """Return the JSON object of the last line."""
    caught = [trial for trial in trials if trial.suspect.is_cheat and trial.is_right]
    missed = [trial.name for trial in trials if trial.suspect.is_cheat and not trial.is_right]
    honest = [trial for trial in trials if not trial.suspect.is_cheat]
    accused = [trial.name for trial in honest if not trial.is_right]
    return {
        "bench": "cheats",
        "caught": len(caught),
        "missed": missed,
        "honest": len(honest) - len(accused),
        "accused": accused,
        "runtimes": sorted({trial.runtime.value for trial in trials}),
        "goals": {"missed": 0, "accused": 0},
        "met": bool(trials) and not missed and not accused,
    }


def survey(console: Console, runtime: RuntimeKind | None) -> Iterator[Bench]:
    """Yield this host with each runtime; without a choice, skip a runtime that does not work."""
    for kind in [runtime] if runtime else list(RuntimeKind):
        try:
            yield survey_bench(get_settings().model_copy(update={"runtime": kind.value}))
        except RuntimeUnavailable as error:
            if runtime is not None:
                raise
            console.print(f"Runtime {kind} is skipped: {error.reason}", highlight=False)


def _try(console: Console, bench: Bench, suspect: Suspect) -> SuspectTrial:
    begun = time.monotonic()
    outcome = try_service(bench, suspect.framework, suspect.scenario, load=suspect.load)
    trial = SuspectTrial(bench.runtime.kind, suspect, outcome)
    mark = "[green]ok[/]" if trial.is_right else "[bold red]WRONG[/]"
    found = escape(outcome.failure[:_SHOWN_CHARACTERS]) or "nothing found"
    spent = f"{time.monotonic() - begun:.0f} s, {count_of(outcome.requests, 'request')}"
    console.print(f"{mark} {trial.name} ({spent}): {found}", highlight=False)
    return trial


def _print_table(console: Console, trials: Sequence[SuspectTrial]) -> None:
    table = Table(title="Cheats and honest services", title_justify="left")
    for heading in ("runtime", "scenario", "service", "expected", "caught by", ""):
        table.add_column(heading)
    for trial in trials:
        suspect = trial.suspect
        table.add_row(
            trial.runtime.value,
            suspect.scenario,
            suspect.framework,
            _join(suspect.caught_by),
            _join(trial.found),
            "" if trial.is_right else "accused" if not suspect.is_cheat else "missed",
        )
    console.print(table)


def _join(checks: Sequence[CatchingCheck]) -> str:
    return ", ".join(checks) or "–"


if __name__ == "__main__":
    app()

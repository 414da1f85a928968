"""Prints a line for each service, the evidence of failures, and the matrix of all services."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from backend.core.numbers import count_of
from worker.verify.trial import LOAD_SECONDS, VerifyOutcome

_SHOWN_CHARACTERS = 400
_SHOWN_LOG_LINES = 25

PASSED, FAILED, SKIPPED, ABSENT = (
    "[green]passed[/]",
    "[bold red]FAILED[/]",
    "[dim]passed before[/]",
    "",
)
UNAVAILABLE = "[yellow]not here[/]"
UNREACHED = "[dim]not reached[/]"


def print_outcome(console: Console, outcome: VerifyOutcome) -> None:
    """Print a line about a service, and below it the evidence of a failure."""
    name = f"{outcome.framework} × {outcome.scenario}"
    if outcome.has_passed:
        console.print(f"{PASSED} {name}: {_describe(outcome)}", highlight=False)
        return
    console.print(f"{FAILED} {name}: {escape(outcome.failure)}", highlight=False)
    for check in outcome.checks:
        if not check["passed"]:
            console.print(
                f"  [bold]{escape(str(check['name']))}[/]\n"
                f"    expected  {escape(str(check['expected'])[:_SHOWN_CHARACTERS])}\n"
                f"    got       {escape(str(check['got'])[:_SHOWN_CHARACTERS])}",
                highlight=False,
            )
    lines = outcome.log.splitlines()[-_SHOWN_LOG_LINES:]
    if lines:
        console.print("  last lines of its log:")
        for line in lines:
            console.print(f"    {escape(line)}", highlight=False, style="dim")


def _describe(outcome: VerifyOutcome) -> str:
    seconds = outcome.build_seconds
    parts = ["built before" if seconds is None else f"built in {seconds:.1f} s"]
    if outcome.boot_ms is not None:
        parts.append(f"ready after {outcome.boot_ms:.0f} ms")
    parts.append(count_of(len(outcome.checks), "check"))
    parts.append(f"{count_of(outcome.requests, 'request')} in {LOAD_SECONDS} s")
    if outcome.latency_p50_ms is not None:
        parts.append(f"median {outcome.latency_p50_ms:.2f} ms")
    return ", ".join(parts)


def print_matrix(
    console: Console,
    title: str,
    scenarios: Sequence[str],
    rows: Mapping[str, Mapping[str, str]],
    unavailable: Mapping[str, str],
) -> None:
    """Print a table of frameworks and scenarios, and why some cannot run here."""
    table = Table(title=title, title_justify="left")
    table.add_column("framework")
    for scenario in scenarios:
        table.add_column(scenario)
    for framework, states in rows.items():
        table.add_row(framework, *(states.get(scenario, ABSENT) for scenario in scenarios))
    console.print(table)
    for framework, reason in unavailable.items():
        console.print(f"{UNAVAILABLE} {framework}: {escape(reason)}", highlight=False)


def summarise(states: Iterable[str]) -> str:
    """Return how many services passed, failed and were skipped."""
    listed = list(states)
    unreached = listed.count(UNREACHED)
    return (
        f"{listed.count(PASSED)} passed, {listed.count(SKIPPED)} passed before, "
        f"{listed.count(FAILED)} failed" + (f", {unreached} not reached" if unreached else "")
    )

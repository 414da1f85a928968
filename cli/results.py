"""Waits for runs, and prints their results as `tacho run --wait` and `tacho show` do."""

import sys
from typing import Annotated

import httpx
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from backend.core.documents import JsonObject
from backend.core.numbers import format_estimate, format_figure, use_plain_spaces
from backend.core.units import METRICS, TERMINAL_METRICS
from cli.client import ExitCode, ask, follow, get_address

Wait = Annotated[
    bool, typer.Option("--wait", help="Wait until the run ends; exit with 0 if it succeeded.")
]
RequireUsable = Annotated[
    bool,
    typer.Option("--require-usable", help="With --wait: exit with 5 if the run is not usable."),
]

_OUTCOMES = {
    "usable": "Usable.",
    "usable_with_warnings": "Usable with warnings.",
    "not_usable": "Not usable.",
}


def make_console(width: int = 160) -> Console:
    """Return a console for text of other people.

    Args:
        width: of tables in a file or a log of CI, which have no width of their own.
    """
    # Square brackets in titles and logs are not markup.
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else width)


def wait_for(
    client: httpx.Client, console: Console, queued: JsonObject, *, require_usable: bool
) -> ExitCode:
    """Follow a run to its end, print its result, and return the exit code that it leads to."""
    if queued["group"] is not None:
        console.print(f"On {queued['host']}: {get_address(client, queued['permalink'])}")
    try:
        ended = follow(client, queued["id"], console)
    except KeyboardInterrupt:
        console.print("The run continues. Follow or cancel it at the address above.")
        raise typer.Exit(ExitCode.DETACHED) from None
    answer = ask(client, "GET", f"/api/v1/runs/{queued['id']}/answer")
    print_result(console, ended)
    print_answer(console, answer)
    return _find_exit_code(ended, answer, require_usable=require_usable)


def print_answer(console: Console, answer: JsonObject) -> None:
    """Print headline, sentences, outcome and reason, and what to run instead."""
    text = " ".join([f"{answer['headline']}.", *answer["sentences"]])
    outcome = " ".join(filter(None, [_OUTCOMES[answer["outcome"]], answer["reason"]]))
    for line in (text, outcome):
        console.print(use_plain_spaces(line), soft_wrap=True, markup=False)
    remedy = answer["remedy"]
    if remedy is not None:
        console.print(use_plain_spaces(f"{remedy['label']}."), soft_wrap=True, markup=False)


def print_result(console: Console, ended: JsonObject) -> None:
    table = Table("Framework", "Scenario", title=ended["title"], title_justify="left")
    for metric in TERMINAL_METRICS:
        table.add_column(METRICS[metric].title, justify="right")
    table.add_column("Verdicts")
    swept = _list_swept(ended["cells"])
    for cell in ended["cells"]:
        values = [f"{name}={cell['parameters'][name]}" for name in swept[_series(cell)]]
        scenario = " ".join([cell["scenario"]["name"], *values])
        figures = [_figure(cell["summary"].get(metric)) for metric in TERMINAL_METRICS]
        verdicts = ", ".join(verdict["verdict"] for verdict in cell["verdicts"]) or "no result"
        table.add_row(cell["framework"]["name"], scenario, *figures, verdicts)
    console.print(table)
    if ended["goal"] and ended["goal"]["sentence"]:
        console.print(ended["goal"]["sentence"], soft_wrap=True)
    for check in (ended["gate"] or {"checks": []})["checks"]:
        console.print(_describe_check(check, ended["cells"]), soft_wrap=True)
    for trial in ended["trials"]:
        if trial["failure"]:
            where = f"trial {trial['position'] + 1} while {trial['failure']['stage']}"
            told = Text.assemble(("failed", "red"), f" {where}: {trial['failure']['detail']}")
            console.print(told, soft_wrap=True)


def _find_exit_code(ended: JsonObject, answer: JsonObject, *, require_usable: bool) -> ExitCode:
    if ended["status"] != "succeeded":
        return ExitCode[ended["status"].upper()]
    if ended["gate"] is not None and not ended["gate"]["passed"]:
        return ExitCode.BEYOND_LIMIT
    if require_usable and answer["outcome"] == "not_usable":
        return ExitCode.NOT_USABLE
    return ExitCode.SUCCEEDED


def _describe_check(check: JsonObject, cells: list[JsonObject]) -> Text:
    cell = next(cell for cell in cells if cell["id"] == check["cell_id"])
    word = ("passed", "green") if check["passed"] else ("beyond", "red")
    found = "no number" if check["estimate"] is None else format_figure(check["estimate"])
    limit = f"{check['metric']} {found} {describe_limit(check)}"
    where = f"{cell['framework']['name']} on {cell['scenario']['name']}"
    return Text.assemble(word, f" {where}: {limit}. {check['detail']}")


def describe_limit(limited: JsonObject) -> str:
    """Return the bound of an SLO or of its check, such as `≤ 50 ms`."""
    sign = "≥" if limited["direction"] == "higher" else "≤"
    return f"{sign} {use_plain_spaces(format_figure(limited['limit']))} {limited['unit']}"


def _list_swept(cells: list[JsonObject]) -> dict[tuple[str, str], list[str]]:
    """Return the parameters that differ between the cells of a scenario and profile."""
    seen: dict[tuple[str, str], dict[str, set[int]]] = {}
    for cell in cells:
        values = seen.setdefault(_series(cell), {})
        for name, value in cell["parameters"].items():
            values.setdefault(name, set()).add(value)
    return {
        series: [name for name, different in values.items() if len(different) > 1]
        for series, values in seen.items()
    }


def _series(cell: JsonObject) -> tuple[str, str]:
    return cell["scenario"]["slug"], cell["profile"]


def _figure(summary: JsonObject | None) -> str:
    if summary is None:
        return "–"
    figures = (summary["estimate"], summary["low"], summary["high"], summary["unit"])
    # A Tacho of an older version has no bounds.
    is_bound = summary.get("is_bound", False)
    return use_plain_spaces(format_estimate(*figures, summary["values"], is_bound=is_bound))

"""`tacho run`: queue a run from a shell, and follow it with `--wait`."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from backend.cli.cells import (
    Frameworks,
    HostOption,
    MaxMinutes,
    MaxTrials,
    Parameters,
    ProfileOption,
    Scenarios,
    Title,
    Trials,
    Until,
    Url,
    list_cells,
    list_trial_fields,
)
from backend.cli.client import ExitCode, ask, follow, get_address, open_client
from backend.cli.console import read_settings
from backend.core.documents import JsonObject
from backend.core.numbers import format_estimate, format_figure, use_plain_spaces
from backend.core.units import METRICS, TERMINAL_METRICS


def run(
    frameworks: Frameworks,
    scenario: Scenarios,
    profile: ProfileOption = None,
    param: Parameters = None,
    trials: Trials = None,
    until: Until = None,
    max_trials: MaxTrials = None,
    max_minutes: MaxMinutes = None,
    title: Title = None,
    host: HostOption = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the run ends; exit with 0 if it succeeded.")
    ] = False,
    url: Url = None,
) -> None:
    """Measure each framework with each scenario.

    Exit codes: 0 succeeded or queued, 1 failed, 2 refused, 3 cancelled, 4 a limit was missed (see
    /slos), 130 interrupted.
    """
    settings = read_settings()
    body = {
        "cells": list_cells(frameworks, scenario, profile, param or []),
        **list_trial_fields(trials, until, max_trials, max_minutes),
        "title": title,
        "host": host,
    }
    # A file or a CI log has no terminal width, so make the table wide enough. Square brackets in
    # titles and logs are not markup.
    width = None if sys.stdout.isatty() else 160
    console = Console(highlight=False, markup=False, width=width)
    with open_client(settings, url) as client:
        queued = ask(client, "POST", "/api/v1/runs", body)
        address = get_address(client, queued["permalink"])
        console.print(f"{queued['title']}: {address}", soft_wrap=True)
        if not wait:
            return
        try:
            ended = follow(client, queued["id"], console)
        except KeyboardInterrupt:
            console.print("The run continues. Follow or cancel it at the address above.")
            raise typer.Exit(ExitCode.DETACHED) from None
    _print_result(console, ended)
    has_passed = ended["gate"] is None or ended["gate"]["passed"]
    status = ExitCode[ended["status"].upper()]
    raise typer.Exit(
        status if status is not ExitCode.SUCCEEDED or has_passed else ExitCode.BEYOND_LIMIT
    )


def _print_result(console: Console, ended: JsonObject) -> None:
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


def _describe_check(check: JsonObject, cells: list[JsonObject]) -> Text:
    cell = next(cell for cell in cells if cell["id"] == check["cell_id"])
    word = ("passed", "green") if check["passed"] else ("beyond", "red")
    sign = "≥" if check["direction"] == "higher" else "≤"
    found = "no number" if check["estimate"] is None else format_figure(check["estimate"])
    limit = f"{check['metric']} {found} {sign} {format_figure(check['limit'])} {check['unit']}"
    where = f"{cell['framework']['name']} on {cell['scenario']['name']}"
    return Text.assemble(word, f" {where}: {limit}. {check['detail']}")


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
    figures = (summary["estimate"], summary["low"], summary["high"])
    return use_plain_spaces(format_estimate(*figures, summary["unit"]))

"""`tacho run`: queue a run from a shell, and follow it with `--wait`."""

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
from cli.cells import (
    HostOption,
    HostsOption,
    LoadHosts,
    MaxMinutes,
    MaxTrials,
    Parameters,
    ProfileOption,
    Title,
    Trials,
    Until,
    Url,
    list_cells,
    list_host_fields,
    list_trial_fields,
)
from cli.client import ExitCode, ask, follow, get_address, open_client
from cli.console import fail, read_settings

_Frameworks = Annotated[
    list[str] | None, typer.Argument(help="Slugs of frameworks; not with --preset.")
]
_Scenarios = Annotated[
    list[str] | None,
    typer.Option("--scenario", help="Slug of a scenario; may be repeated. Not with --preset."),
]
_PresetOption = Annotated[
    str | None,
    typer.Option(
        help="Start a suggested run, such as first-look, instead of naming frameworks and "
        "scenarios; GET /presets lists them."
    ),
]
_Pins = Annotated[
    list[str] | None,
    typer.Option(
        "--pin",
        help="FRAMEWORK=DIGEST: refuse the run unless the digest of the framework begins with "
        "DIGEST, at least 8 characters; may be repeated.",
    ),
]

_OUTCOMES = {
    "usable": "Usable.",
    "usable_with_warnings": "Usable with warnings.",
    "not_usable": "Not usable.",
}


def run(
    frameworks: _Frameworks = None,
    scenario: _Scenarios = None,
    preset: _PresetOption = None,
    profile: ProfileOption = None,
    param: Parameters = None,
    trials: Trials = None,
    until: Until = None,
    max_trials: MaxTrials = None,
    max_minutes: MaxMinutes = None,
    title: Title = None,
    host: HostOption = None,
    hosts: HostsOption = None,
    load_hosts: LoadHosts = None,
    pin: _Pins = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the run ends; exit with 0 if it succeeded.")
    ] = False,
    require_usable: Annotated[
        bool,
        typer.Option("--require-usable", help="With --wait: exit with 5 if the run is not usable."),
    ] = False,
    url: Url = None,
) -> None:
    """Measure each framework with each scenario, or start a suggested run with --preset.

    With --hosts, the exit code is the highest of all runs.

    Exit codes: 0 succeeded or queued, 1 failed, 2 refused, 3 cancelled, 4 a limit was missed (see
    /slos), 5 not usable (with --require-usable), 130 interrupted.
    """
    settings = read_settings()
    body = {
        "cells": list_cells(frameworks or [], scenario or [], profile, param or [], pin or []),
        **list_trial_fields(trials, until, max_trials, max_minutes),
        **list_host_fields(host, hosts),
        **({} if title is None else {"title": title}),
        **({"load_hosts": load_hosts} if load_hosts else {}),
    }
    _check_selection(frameworks, scenario, preset, profile or param or pin)
    # A file or a CI log has no terminal width, so make the table wide enough. Square brackets in
    # titles and logs are not markup.
    width = None if sys.stdout.isatty() else 160
    console = Console(highlight=False, markup=False, width=width)
    with open_client(settings, url) as client:
        if preset is not None:
            body = _apply_preset(ask(client, "GET", f"/api/v1/presets/{preset}")["request"], body)
        queued = ask(client, "POST", "/api/v1/runs", body)
        first = queued["group"] or queued
        console.print(
            f"{queued['title']}: {get_address(client, first['permalink'])}", soft_wrap=True
        )
        _explain_waiting(client, console)
        if not wait:
            return
        codes = [
            _wait(client, console, run, require_usable=require_usable)
            for run in _list_queued(client, queued)
        ]
    raise typer.Exit(max(codes))


def _explain_waiting(client: httpx.Client, console: Console) -> None:
    """Print that the load generator is still being built, if it is."""
    try:
        build = client.get("/api/v1/health").json().get("load_generator")
    except (httpx.HTTPError, ValueError):
        # The command goes on without health, and reports what then does not answer.
        return
    if build is not None:
        left = build["remaining_seconds"]
        shown = "" if left is None else f" (about {max(left, 1)} s left)"
        console.print(
            f"The load generator is still being built{shown}. Runs on {build['host']} wait for it.",
            soft_wrap=True,
        )


def print_answer(console: Console, answer: JsonObject) -> None:
    """Print headline, sentences, outcome and reason, and what to run instead."""
    text = " ".join([f"{answer['headline']}.", *answer["sentences"]])
    outcome = " ".join(filter(None, [_OUTCOMES[answer["outcome"]], answer["reason"]]))
    for line in (text, outcome):
        console.print(use_plain_spaces(line), soft_wrap=True, markup=False)
    remedy = answer["remedy"]
    if remedy is not None:
        console.print(use_plain_spaces(f"{remedy['label']}."), soft_wrap=True, markup=False)


def _list_queued(client: httpx.Client, queued: JsonObject) -> list[JsonObject]:
    """Return the queued run, or the runs of its group."""
    if queued["group"] is None:
        return [queued]
    group = ask(client, "GET", f"/api/v1/run-groups/{queued['group']['slug']}")
    runs: list[JsonObject] = group["runs"]
    return runs


def _wait(
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
    _print_result(console, ended)
    print_answer(console, answer)
    return _find_exit_code(ended, answer, require_usable=require_usable)


def _find_exit_code(ended: JsonObject, answer: JsonObject, *, require_usable: bool) -> ExitCode:
    if ended["status"] != "succeeded":
        return ExitCode[ended["status"].upper()]
    if ended["gate"] is not None and not ended["gate"]["passed"]:
        return ExitCode.BEYOND_LIMIT
    if require_usable and answer["outcome"] == "not_usable":
        return ExitCode.NOT_USABLE
    return ExitCode.SUCCEEDED


def _check_selection(
    frameworks: list[str] | None, scenarios: list[str] | None, preset: str | None, load: object
) -> None:
    """End the command unless it names either a preset, or frameworks and scenarios."""
    if preset is None and not frameworks:
        fail("Name at least one framework, or give --preset.", ExitCode.REFUSED)
    if preset is None and not scenarios:
        fail("Give --scenario, or --preset instead of frameworks.", ExitCode.REFUSED)
    if preset is not None and (frameworks or scenarios or load):
        fail(
            "--preset sets frameworks, scenarios and load; remove the frameworks, --scenario, "
            "--profile, --param and --pin.",
            ExitCode.REFUSED,
        )


def _apply_preset(request: JsonObject, given: JsonObject) -> JsonObject:
    """Return the request of a preset with the options that the command gives."""
    chosen = {name: value for name, value in given.items() if name != "cells"}
    if "trials" in chosen or "until" in chosen:
        goal = ("trials", "until", "max_trials", "max_minutes")
        request = {name: value for name, value in request.items() if name not in goal}
    return {**request, **chosen}


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
    figures = (summary["estimate"], summary["low"], summary["high"], summary["unit"])
    # A Tacho of an older version has no bounds.
    is_bound = summary.get("is_bound", False)
    return use_plain_spaces(format_estimate(*figures, summary["values"], is_bound=is_bound))

"""`tacho schedule`: manage the schedules of a running Tacho from a shell."""

from typing import Annotated

import httpx
import typer
from rich.table import Table

from backend.core.documents import JsonObject
from cli.cells import (
    Frameworks,
    HostOption,
    HostsOption,
    LoadHosts,
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
    list_host_fields,
    list_trial_fields,
)
from cli.client import ExitCode, ask, call, get_address, open_client
from cli.console import fail, read_settings
from cli.results import make_console

_PATH = "/api/v1/schedules"
Which = Annotated[str, typer.Argument(metavar="SCHEDULE", help="Name or id of the schedule.")]

app = typer.Typer(
    help="Start the same run again and again: nightly, weekly, or by any cron expression.\n\n"
    "Exit codes: 0 done, 1 Tacho does not answer, 2 refused.",
    no_args_is_help=True,
)


@app.command("list")
def list_all(url: Url = None) -> None:
    """List all schedules with their next time and their last result."""
    found = call(url, "GET", _PATH)["items"]
    table = Table("Name", "When", "Next", "Host", "Last", "Id")
    for schedule in found:
        when = f"{schedule['words']}, {schedule['time_zone']}"
        table.add_row(
            schedule["name"],
            when,
            _next(schedule),
            schedule["host"],
            _last(schedule),
            schedule["id"],
        )
    make_console(200).print(table if found else "No schedules.")


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="Name, such as Nightly.")],
    frameworks: Frameworks,
    scenario: Scenarios,
    cron: Annotated[
        str,
        typer.Option(
            help="Cron expression of five fields: '0 2 * * *' nightly, '0 3 * * SUN' weekly."
        ),
    ],
    time_zone: Annotated[str, typer.Option(help="IANA time zone, such as Europe/Berlin.")] = "UTC",
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
    url: Url = None,
) -> None:
    """Add a schedule that measures each framework with each scenario."""
    cells = list_cells(frameworks, scenario, profile, param or [])
    body = {
        "name": name,
        "cron": cron,
        "time_zone": time_zone,
        "run": {
            "cells": cells,
            **list_trial_fields(trials, until, max_trials, max_minutes),
            **list_host_fields(host, hosts),
            "title": title,
            "load_hosts": load_hosts or [],
        },
    }
    with open_client(read_settings(), url) as client:
        made = ask(client, "POST", _PATH, body)
        address = get_address(client, f"/schedules/{made['id']}")
    typer.echo(f"{made['name']}: {made['words']}, {time_zone}; next {_next(made)}: {address}")


@app.command("pause")
def pause(schedule: Which, url: Url = None) -> None:
    """Pause a schedule. Times that pass during the pause are skipped."""
    changed = _enable(schedule, url, enabled=False)
    typer.echo(f"{changed['name']} is paused.")


@app.command("resume")
def resume(schedule: Which, url: Url = None) -> None:
    """Resume a paused schedule."""
    changed = _enable(schedule, url, enabled=True)
    typer.echo(f"{changed['name']} is resumed; next {_next(changed)}.")


@app.command("remove")
def remove(schedule: Which, url: Url = None) -> None:
    """Remove a schedule. Its runs stay."""
    with open_client(read_settings(), url) as client:
        found = _find(client, schedule)
        ask(client, "DELETE", f"{_PATH}/{found['id']}")
    typer.echo(f"{found['name']} is removed; its runs stay.")


def _enable(schedule: str, url: str | None, *, enabled: bool) -> JsonObject:
    with open_client(read_settings(), url) as client:
        found = _find(client, schedule)
        return ask(client, "PATCH", f"{_PATH}/{found['id']}", {"enabled": enabled})


def _find(client: httpx.Client, which: str) -> JsonObject:
    """Return the schedule with this id or name. End the command if there is not exactly one."""
    items: list[JsonObject] = ask(client, "GET", _PATH)["items"]
    found = [item for item in items if which in {item["id"], item["name"]}]
    if not found:
        known = ", ".join(item["name"] for item in items) or "there are none"
        fail(f"There is no schedule {which!r}; those known: {known}.", ExitCode.REFUSED)
    if len(found) > 1:
        ids = ", ".join(schedule["id"] for schedule in found)
        fail(f"{len(found)} schedules are called {which!r}; give an id: {ids}.", ExitCode.REFUSED)
    return found[0]


def _next(schedule: JsonObject) -> str:
    times: list[str] = schedule["next_times"]
    return f"{times[0][:16].replace('T', ' ')} UTC" if times else "paused"


def _last(schedule: JsonObject) -> str:
    if not schedule["scheduled_runs"]:
        return "–"
    newest = schedule["scheduled_runs"][0]
    told = [newest["status"], newest["reason"], newest["run_slug"]]
    return " ".join(word for word in told if word)

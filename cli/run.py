"""`tacho run`: queue a run from a shell, and follow it with `--wait`."""

from typing import Annotated

import httpx
import typer
from rich.console import Console

from backend.core.documents import JsonObject
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
from cli.client import ExitCode, ask, get_address, open_client
from cli.console import fail, read_settings
from cli.results import RequireUsable, Wait, make_console, wait_for

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
    wait: Wait = False,
    require_usable: RequireUsable = False,
    url: Url = None,
) -> None:
    """Measure each framework with each scenario, or start a suggested run with --preset.

    With --hosts, the exit code is the highest of all runs.

    Exit codes: 0 succeeded or queued, 1 failed, 2 refused, 3 cancelled, 4 a limit was missed (see
    tacho limits), 5 not usable (with --require-usable), 130 interrupted.
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
    console = make_console()
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
            wait_for(client, console, run, require_usable=require_usable)
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


def _list_queued(client: httpx.Client, queued: JsonObject) -> list[JsonObject]:
    """Return the queued run, or the runs of its group."""
    if queued["group"] is None:
        return [queued]
    group = ask(client, "GET", f"/api/v1/run-groups/{queued['group']['slug']}")
    runs: list[JsonObject] = group["runs"]
    return runs


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

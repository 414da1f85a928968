"""Arguments and options that commands about runs share."""

from collections.abc import Sequence
from typing import Annotated

import typer

from backend.core.documents import JsonObject
from cli.client import ExitCode
from cli.console import fail

Frameworks = Annotated[list[str], typer.Argument(help="Slugs of frameworks.")]
Scenarios = Annotated[
    list[str], typer.Option("--scenario", help="Slug of a scenario; may be repeated.")
]
ProfileOption = Annotated[
    str | None,
    typer.Option(help="Profile, such as rate-quick; default: the first of the scenario."),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        help="NAME=NUMBER, such as rate_rps=500, or NAME=NUMBER,NUMBER… for the swept "
        "parameter; may be repeated.",
    ),
]
Trials = Annotated[
    int | None, typer.Option(min=1, max=50, help="Trials per cell; default: 5, without --until.")
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="GOAL",
        help="Measure until this goal is reached, instead of --trials: ranked, or METRIC:PERCENT% "
        "for the precision of every result, such as latency_p99_ms:5%.",
    ),
]
MaxTrials = Annotated[
    int | None,
    typer.Option(min=3, max=50, help="With --until: maximum trials per cell; default: 20."),
]
MaxMinutes = Annotated[
    int | None,
    typer.Option(
        min=1, max=1440, help="With --until: maximum minutes, without builds; default: 30."
    ),
]
Title = Annotated[str | None, typer.Option(help="Title, shown above the result.")]
HostOption = Annotated[
    str | None, typer.Option(help="Bench host; default: the host with the shortest queue.")
]
HostsOption = Annotated[
    str | None,
    typer.Option(
        help="Measure on several hosts, with a run on each: the word each for every suitable host, "
        "or names separated by commas. Not with --host."
    ),
]
LoadHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--load-hosts",
        help="Host that sends the load over the network; may be repeated. Default: the bench host "
        "sends it.",
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="Slug or id of the run.")]
Url = Annotated[str | None, typer.Option(envvar="TACHO_URL", help="Address of Tacho.")]


def list_cells(
    frameworks: Sequence[str],
    scenarios: Sequence[str],
    profile: str | None,
    parameters: Sequence[str],
    pins: Sequence[str] = (),
) -> list[JsonObject]:
    """Return the cells of a request for a run. End the command if an option is malformed."""
    digests = _read_pins(pins, frameworks)
    return [
        {
            "framework": framework,
            "scenario": slug,
            "profile": profile,
            "parameters": read_parameters(parameters),
            **({"framework_digest": digests[framework]} if framework in digests else {}),
        }
        for slug in scenarios
        for framework in frameworks
    ]


def list_trial_fields(
    trials: int | None, until: str | None, max_trials: int | None, max_minutes: int | None
) -> JsonObject:
    """Return the fields of a request that set the number of trials, or the goal instead."""
    given = {
        "until": None if until is None else _read_goal(until),
        "trials": trials,
        "max_trials": max_trials,
        "max_minutes": max_minutes,
    }
    return {name: value for name, value in given.items() if value is not None}


def list_host_fields(host: str | None, hosts: str | None) -> JsonObject:
    """Return the fields of a request that choose its hosts. End the command if both are given."""
    if host is not None and hosts is not None:
        fail("Give either --host or --hosts.", ExitCode.REFUSED)
    if hosts is not None:
        named = [name.strip() for name in hosts.split(",") if name.strip()]
        return {"hosts": hosts if hosts in ("any", "each") else named}
    return {} if host is None else {"host": host}


def _read_goal(text: str) -> JsonObject | str:
    if text == "ranked":
        return text
    metric, _, percent = text.partition(":")
    try:
        return {"metric": metric, "precision_percent": float(percent.removesuffix("%"))}
    except ValueError:
        fail(
            f"--until {text}: write ranked, or METRIC:PERCENT%, such as latency_p99_ms:5%.",
            ExitCode.REFUSED,
        )


def _read_pins(pins: Sequence[str], frameworks: Sequence[str]) -> dict[str, str]:
    digests: dict[str, str] = {}
    for text in pins:
        framework, _, digest = text.partition("=")
        if framework not in frameworks or not digest:
            fail(
                f"--pin {text}: write it as FRAMEWORK=DIGEST, with a framework of this run.",
                ExitCode.REFUSED,
            )
        digests[framework] = digest
    return digests


def read_parameters(given: Sequence[str]) -> dict[str, int | list[int]]:
    """Return the parameters of a load, given as NAME=NUMBER. End the command at any other text."""
    parameters: dict[str, int | list[int]] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            numbers = [int(number) for number in value.split(",")]
            parameters[name] = numbers if len(numbers) > 1 else numbers[0]
        except ValueError:
            fail(
                f"--param {text}: write it as NAME=NUMBER, such as rate_rps=500.", ExitCode.REFUSED
            )
    return parameters

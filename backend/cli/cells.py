"""The cells that `tacho run` and `tacho schedule add` request: each framework with each
scenario."""

from collections.abc import Sequence
from typing import Annotated

import typer

from backend.cli.client import ExitCode
from backend.cli.console import fail
from backend.core.documents import JsonObject

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
Trials = Annotated[int, typer.Option(min=1, max=50, help="Trials per cell.")]
Title = Annotated[str | None, typer.Option(help="Title, shown above the result.")]
HostOption = Annotated[
    str | None, typer.Option(help="Bench host; default: the host with the shortest queue.")
]
Url = Annotated[str | None, typer.Option(envvar="TACHO_URL", help="Where Tacho answers.")]


def list_cells(
    frameworks: Sequence[str],
    scenarios: Sequence[str],
    profile: str | None,
    parameters: Sequence[str],
) -> list[JsonObject]:
    """Return the cells of a request for a run. End the command if a parameter is malformed."""
    return [
        {
            "framework": framework,
            "scenario": slug,
            "profile": profile,
            "parameters": _read_parameters(parameters),
        }
        for slug in scenarios
        for framework in frameworks
    ]


def _read_parameters(given: Sequence[str]) -> dict[str, int | list[int]]:
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

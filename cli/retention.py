"""`tacho retention`: show and set how long a running Tacho keeps seconds and logs."""

from typing import Annotated

import typer

from backend.core.documents import JsonObject
from backend.core.numbers import count_of
from cli.cells import Url
from cli.client import ExitCode, ask, open_client
from cli.console import fail, read_settings

_FOR_EVER = "forever"
Seconds = Annotated[
    str | None,
    typer.Option(metavar="DAYS", help="Days for which seconds are kept, or forever."),
]
Logs = Annotated[
    str | None, typer.Option(metavar="DAYS", help="Days for which logs are kept, or forever.")
]
Installation = Annotated[
    bool,
    typer.Option(
        "--installation", help="Show or set the days of the whole installation; for operators."
    ),
]


def run(
    seconds: Seconds = None, logs: Logs = None, installation: Installation = False, url: Url = None
) -> None:
    """Show how long seconds and logs are kept, after changing what is given.

    A workspace keeps them at most as long as the installation. For a workspace, forever means as
    long as the installation.

    Exit codes: 0 done, 1 Tacho does not answer, 2 refused.
    """
    path = "/api/v1/retention/installation" if installation else "/api/v1/retention"
    given = {"seconds_days": seconds, "logs_days": logs}
    changes = {
        field: _read_days(field.removesuffix("_days"), days)
        for field, days in given.items()
        if days is not None
    }
    with open_client(read_settings(), url) as client:
        found = ask(client, "GET", path)
        if changes:
            current = found if installation else found["workspace"]
            found = ask(client, "PUT", path, current | changes)
    print(_describe(found if installation else found["effective"]))


def _read_days(option: str, days: str) -> int | None:
    if days == _FOR_EVER:
        return None
    if not days.isascii() or not days.isdigit():
        fail(
            f"--{option} {days}: write a number of days, such as 90, or {_FOR_EVER}.",
            ExitCode.REFUSED,
        )
    return int(days)


def _describe(periods: JsonObject) -> str:
    seconds, logs = (_describe_days(periods[f"{name}_days"]) for name in ("seconds", "logs"))
    return f"Seconds are kept {seconds}, logs {logs}."


def _describe_days(days: int | None) -> str:
    return "for ever" if days is None else f"for {count_of(days, 'day')}"

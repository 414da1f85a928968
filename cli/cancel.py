"""`tacho cancel`: cancel a run, or a group of runs, from a shell."""

from typing import Annotated

import typer

from cli.cells import RunName, Url
from cli.client import ask, open_client
from cli.console import read_settings

IsGroup = Annotated[
    bool,
    typer.Option("--group", help="RUN is the slug of a group: cancel all of its runs."),
]


def run(name: RunName, is_group: IsGroup = False, url: Url = None) -> None:
    """Cancel a run. Queued trials end at once, and the current trial ends within moments.

    Results that were measured already stay.

    Exit codes: 0 cancelled, 1 Tacho does not answer, 2 refused.
    """
    with open_client(read_settings(), url) as client:
        if is_group:
            runs = ask(client, "POST", f"/api/v1/run-groups/{name}/cancel")["runs"]
        else:
            runs = [ask(client, "POST", f"/api/v1/runs/{name}/cancel")]
    for cancelled in runs:
        print(f"{cancelled['slug']} on {cancelled['host']}: {_describe(cancelled['status'])}")


def _describe(status: str) -> str:
    if status in {"queued", "running"}:
        return "its current trial is being stopped"
    return "cancelled" if status == "cancelled" else f"it had {status} before"

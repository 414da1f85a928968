"""`tacho archive`: remove the seconds of a run of a running Tacho from a shell."""

from typing import Annotated

import typer

from cli.cells import RunName, Url
from cli.client import ExitCode, ask, open_client
from cli.console import fail, read_settings

Yes = Annotated[bool, typer.Option("--yes", help="Archive without asking.")]


def run(name: RunName, yes: Yes = False, url: Url = None) -> None:
    """Remove the seconds of an ended run. Its answer, estimates, charts and trials stay.

    Exit codes: 0 archived, 1 Tacho does not answer, 2 refused.
    """
    with open_client(read_settings(), url) as client:
        found = ask(client, "GET", f"/api/v1/runs/{name}")
        print(f"Tacho removes the seconds of “{found['title']}”. Its charts stay.")
        if not yes and not typer.confirm("Archive the run? This cannot be undone."):
            fail("The run was not archived.", ExitCode.REFUSED)
        archived = ask(client, "POST", f"/api/v1/runs/{name}/archive")
    print(archived["removal"]["seconds_note"])

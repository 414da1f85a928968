"""`tacho rerun`: queue a run again from a shell."""

import typer

from cli.cells import RunName, Url
from cli.client import ask, get_address, open_client
from cli.console import read_settings
from cli.results import RequireUsable, Wait, make_console, wait_for


def run(
    name: RunName, wait: Wait = False, require_usable: RequireUsable = False, url: Url = None
) -> None:
    """Queue the cells of a run again, on the same host, in a new order of trials.

    Exit codes: as `tacho run`.
    """
    console = make_console()
    with open_client(read_settings(), url) as client:
        queued = ask(client, "POST", f"/api/v1/runs/{name}/rerun")
        address = get_address(client, queued["permalink"])
        console.print(f"{queued['title']}: {address}", soft_wrap=True)
        if wait:
            raise typer.Exit(wait_for(client, console, queued, require_usable=require_usable))

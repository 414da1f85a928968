"""`tacho delete`: delete a run of a running Tacho from a shell."""

from typing import Annotated

import typer

from backend.core.documents import JsonObject
from cli.cells import RunName, Url
from cli.client import ExitCode, ask, open_client
from cli.console import fail, read_settings

# The fields of the API: rows that are deleted with a run, and rows that stay.
_DELETED = {
    "trials": "trials, with seconds, logs and charts",
    "changes": "detected changes",
    "host_events": "host events",
    "scheduled_runs": "starts of schedules",
}
_KEPT = {"reruns": "runs that repeat it", "snapshots": "saved comparisons"}

Yes = Annotated[bool, typer.Option("--yes", help="Delete without asking.")]


def run(name: RunName, yes: Yes = False, url: Url = None) -> None:
    """Delete an ended run with all its results. Saved comparisons stay.

    The command lists what depends on the run, and asks before it deletes.

    Exit codes: 0 deleted, 1 Tacho does not answer, 2 refused.
    """
    with open_client(read_settings(), url) as client:
        found = ask(client, "GET", f"/api/v1/runs/{name}/dependents")
        print(f"Tacho deletes: {_list(found, _DELETED)}. These stay: {_list(found, _KEPT)}.")
        if not yes and not typer.confirm("Delete the run? This cannot be undone."):
            fail("The run was not deleted.", ExitCode.REFUSED)
        ask(client, "DELETE", f"/api/v1/runs/{name}")
    print(f"Run {name} is deleted.")


def _list(found: JsonObject, names: dict[str, str]) -> str:
    counts = [f"{found[field]} {noun}" for field, noun in names.items() if found[field]]
    return ", ".join(counts) or "nothing else"

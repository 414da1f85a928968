"""`tacho show`: print the result of a run in a shell."""

from math import ceil

from backend.core.numbers import count_of
from cli.cells import RunName, Url
from cli.client import ask, get_address, open_client
from cli.console import read_settings
from cli.results import make_console, print_answer, print_result


def run(name: RunName, url: Url = None) -> None:
    """Print the result of a run, as `tacho run --wait` does at its end.

    Of a run that goes on, this prints how far it is.

    Exit codes: 0 printed, 1 Tacho does not answer, 2 refused.
    """
    console = make_console()
    with open_client(read_settings(), url) as client:
        found = ask(client, "GET", f"/api/v1/runs/{name}")
        address = get_address(client, found["permalink"])
        console.print(f"{found['title']}: {address}", soft_wrap=True)
        if found["finished_at"] is None:
            progress = found["progress"]
            done = f"{progress['trials_finished']} of {count_of(progress['trials_total'], 'trial')}"
            left = progress["estimated_seconds_left"]
            time = "" if left is None else f", about {ceil(left / 60)} min left"
            console.print(f"{found['status']} on {found['host']}: {done} ended{time}.")
            return
        print_result(console, found)
        print_answer(console, ask(client, "GET", f"/api/v1/runs/{name}/answer"))

"""`tacho host`: manage the bench hosts of a running Tacho from a shell."""

import sys
from typing import Annotated
from urllib.parse import quote

import typer
from rich.console import Console
from rich.table import Table

from backend.core.documents import JsonObject
from cli.cells import Url
from cli.client import ask, call, open_client
from cli.console import read_settings

_HOSTS = "/api/v1/hosts"
_KEYS = "/api/v1/host-keys"
Name = Annotated[str, typer.Argument(metavar="HOST", help="Name of the bench host.")]

app = typer.Typer(
    help="Add, pause, rename, reserve and revoke bench hosts, and let them leave. Only operators "
    "can; set TACHO_TOKEN to the token of the installation.\n\nExit codes: 0 done, 1 Tacho does "
    "not answer, 2 refused.",
    no_args_is_help=True,
)


@app.command("list")
def list_all(url: Url = None) -> None:
    """List all bench hosts, and the keys that wait for their machines."""
    with open_client(read_settings(), url) as client:
        hosts = ask(client, "GET", _HOSTS)["items"]
        keys = ask(client, "GET", _KEYS)["items"]
    table = Table("Name", "Status", "State", "Services run", "Queued trials", "Last seen")
    for host in hosts:
        table.add_row(
            host["name"],
            host["status"],
            host["state"],
            "in Docker" if host["runtime"] == "docker" else "as processes",
            str(host["queued_trials"]),
            _show_time(host["seen_at"]),
        )
    for key in keys:
        table.add_row(key["name"], "invited", f"until {_show_time(key['expires_at'])}")
    # A file or a CI log has no terminal width. Square brackets in names are not markup.
    width = None if sys.stdout.isatty() else 200
    is_empty = not (hosts or keys)
    Console(highlight=False, markup=False, width=width).print("No hosts." if is_empty else table)


@app.command("create")
def create(name: Name, url: Url = None) -> None:
    """Create a key for a new bench host, and print the command to run on its machine.

    For a host that joined before, the key gives it new credentials. The key works once, for 24
    hours.
    """
    made = call(url, "POST", _KEYS, {"name": name})
    typer.echo(
        f"Run this in a clone of Tacho on the new machine, until {_show_time(made['expires_at'])}:"
        f"\n\n    {made['join_command']}\n\n"
        "Or this, to run its worker as a container:"
        f"\n\n    {made['container_command']}\n"
    )


@app.command("withdraw")
def withdraw(name: Name, url: Url = None) -> None:
    """Withdraw the key of a host that has not joined."""
    call(url, "DELETE", f"{_KEYS}/{quote(name, safe='')}")
    typer.echo(f"The key of {name} does not work any more.")


@app.command("pause")
def pause(name: Name, url: Url = None) -> None:
    """Let a host finish its current trial and take no new ones. Its runs wait."""
    _change(name, url, {"is_paused": True})
    typer.echo(f"{name} takes no new trials.")


@app.command("resume")
def resume(name: Name, url: Url = None) -> None:
    """Let a host that is paused or leaves take trials again."""
    _change(name, url, {"is_paused": False, "is_leaving": False})
    typer.echo(f"{name} takes trials again.")


@app.command("rename")
def rename(
    name: Name,
    new_name: Annotated[str, typer.Argument(help="The new name.")],
    url: Url = None,
) -> None:
    """Rename a host that joined with a key. Its results, schedules and permalinks stay."""
    _change(name, url, {"name": new_name})
    typer.echo(f"{name} is now called {new_name}.")


@app.command("reserve")
def reserve(
    name: Name,
    workspaces: Annotated[
        list[str] | None,
        typer.Option("--workspace", help="Slug of a workspace that may use it. Repeatable."),
    ] = None,
    for_all: Annotated[
        bool, typer.Option("--for-all", help="Let all workspaces use it again.")
    ] = False,
    url: Url = None,
) -> None:
    """Let only certain workspaces use a host. Runs that are queued already still take place."""
    if for_all is bool(workspaces):
        raise typer.BadParameter("Name a workspace, or pass --for-all.", param_hint="--workspace")
    with open_client(read_settings(), url) as client:
        path = f"{_HOSTS}/{quote(name, safe='')}/reservation"
        found = ask(client, "PUT", path, {"workspaces": None if for_all else workspaces})
    users = "all workspaces" if for_all else f"only {', '.join(found['workspaces'])}"
    typer.echo(f"{name} is open to {users}.")


@app.command("leave")
def leave(name: Name, url: Url = None) -> None:
    """Let a host finish its current trial and take no new ones, and then revoke it.

    Until its trial has ended, `tacho host resume` takes this back.
    """
    host = _change(name, url, {"is_leaving": True})
    if host["status"] == "leaving":
        typer.echo(f"{name} leaves when its current trial has ended.")
    else:
        typer.echo(f"{name} has left: its credentials do not work any more.")


@app.command("revoke")
def revoke(name: Name, url: Url = None) -> None:
    """Take the credentials of a host away. Its connections end at once, and its runs are cancelled.

    Its results stay. With a new key it can join again.
    """
    call(url, "POST", f"{_HOSTS}/{quote(name, safe='')}/revoke")
    typer.echo(f"{name} is revoked.")


def _change(name: str, url: str | None, changes: JsonObject) -> JsonObject:
    return call(url, "PATCH", f"{_HOSTS}/{quote(name, safe='')}", changes)


def _show_time(text: str) -> str:
    return f"{text[:16].replace('T', ' ')} UTC"

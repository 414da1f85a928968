"""`tacho login` and `tacho logout`: get an access token by approval in a browser, and revoke it."""

import socket
import time
from http import HTTPStatus
from typing import Annotated

import httpx
import typer

from backend.core.documents import JsonObject
from backend.core.statuses import TokenScope
from cli import credentials
from cli.cells import Url
from cli.client import ExitCode, ask, find_url, make_client
from cli.console import fail, read_settings

_PATH = "/api/v1/device-logins"
Scope = Annotated[
    TokenScope,
    typer.Option(help="Scope of the token. You can choose another scope in the browser."),
]


def login(url: Url = None, scope: Scope = TokenScope.RUN) -> None:
    """Sign in on this machine: approve a code in the browser, and store an access token.

    Exit codes: 0 signed in, 1 Tacho does not answer or the code has expired, 2 refused, 130
    interrupted.
    """
    settings = read_settings()
    base = find_url(settings, url)
    name = f"tacho on {socket.gethostname()}"
    with make_client(base, None) as client:
        started = ask(client, "POST", _PATH, {"client_name": name, "scope": scope})
        try:
            typer.echo(
                f"Open {started['verification_url']} in a browser, and enter this code:\n\n"
                f"    {started['user_code']}\n\n"
                f"The code works for {started['expires_in'] // 60} minutes. Waiting for approval …"
            )
            made = _wait(client, started)
        except KeyboardInterrupt:
            typer.echo("Interrupted. You are not signed in.", err=True)
            raise typer.Exit(ExitCode.DETACHED) from None
    earlier = credentials.store_token(base, made["token"])
    if earlier is not None:
        _revoke(base, earlier)
    typer.echo(
        f"You are signed in to workspace {made['workspace']} with the scope {made['scope']} until "
        f"{made['expires_at'][:10]}.\nThe token is in {credentials.find_path()}."
    )
    if settings.token:
        typer.echo("TACHO_TOKEN is set, and commands use it instead of this token.", err=True)


def logout(url: Url = None) -> None:
    """Revoke the access token of `tacho login`, and remove it from this machine.

    Exit codes: 0 done, 1 the token is removed but could not be revoked, 2 not signed in.
    """
    base = find_url(read_settings(), url)
    token = credentials.find_token(base)
    if token is None:
        fail(f"You are not signed in to {base}. `tacho login` signs in.", ExitCode.REFUSED)
    is_revoked = _revoke(base, token)
    credentials.remove_token(base, token)
    if not is_revoked:
        fail(
            "The token is removed from this machine, but Tacho did not confirm that it is revoked. "
            f"Revoke it on the page {base}/account."
        )
    typer.echo(f"You are signed out of {base}. The token is revoked.")


def _wait(client: httpx.Client, started: JsonObject) -> JsonObject:
    """Return the token of a started sign-in as soon as a person approves it."""
    deadline = time.monotonic() + started["expires_in"]
    pause_seconds = started["interval"]
    while True:
        if time.monotonic() + pause_seconds > deadline:
            fail("Nobody approved the sign-in in time. Run `tacho login` again.")
        time.sleep(pause_seconds)
        pause_seconds = started["interval"]
        try:
            answer = client.post(f"{_PATH}/token", json={"device_code": started["device_code"]})
            document = answer.json()
        except (httpx.TransportError, ValueError):
            # Tacho restarts, or the network has a gap. The sign-in still waits.
            continue
        if answer.is_success and document["status"] == "approved":
            made: JsonObject = document
            return made
        if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            pause_seconds = int(answer.headers.get("retry-after", pause_seconds))
        elif answer.is_client_error:
            fail(document["detail"], ExitCode.REFUSED)


def _revoke(base: str, token: str) -> bool:
    """Revoke a token, and return whether it does not work any more."""
    with make_client(base, token) as client:
        try:
            answer = client.delete("/api/v1/tokens/current")
        except httpx.TransportError:
            return False
    # 401: it has expired, or was revoked in the browser.
    return answer.status_code in {HTTPStatus.NO_CONTENT, HTTPStatus.UNAUTHORIZED}

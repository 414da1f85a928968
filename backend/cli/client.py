"""The client for commands that use the REST API of a running Tacho."""

import time
from enum import IntEnum
from http import HTTPStatus
from math import ceil
from typing import cast
from urllib.parse import urlsplit

import httpx
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from backend.cli import credentials
from backend.cli.console import fail
from backend.core.config import Settings
from backend.core.control_characters import escape_lines
from backend.core.documents import JsonObject
from backend.platform.network import public_url

_POLL_SECONDS = 1.0
_ENDS = {"succeeded", "failed", "cancelled"}


class ExitCode(IntEnum):
    """Exit codes of commands, for scripts."""

    SUCCEEDED = 0
    FAILED = 1
    REFUSED = 2
    CANCELLED = 3
    BEYOND_LIMIT = 4
    NOT_USABLE = 5
    DETACHED = 130


def open_client(settings: Settings, url: str | None) -> httpx.Client:
    """Return a client for the Tacho at `url`, by default the one of these settings.

    It sends TACHO_TOKEN, or else the token that `tacho login` stored for this Tacho.
    """
    base = find_url(settings, url)
    return make_client(base, settings.token or credentials.find_token(base))


def find_url(settings: Settings, url: str | None) -> str:
    """Return the address of the Tacho at `url`, by default of the one of these settings."""
    given = url or public_url(settings.host, settings.port)
    if not _is_web_address(given):
        fail(
            f"--url {given}: write an address such as https://tacho.example.org.",
            ExitCode.REFUSED,
        )
    return given.rstrip("/")


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # Reading the port checks that it is a number.
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def make_client(base: str, token: str | None) -> httpx.Client:
    """Return a client that sends a token, or none."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=base, headers=headers, timeout=30, trust_env=False)


def get_address(client: httpx.Client, path: str) -> str:
    """Return the address of a page."""
    return f"{str(client.base_url).rstrip('/')}{path}"


def ask(client: httpx.Client, method: str, path: str, body: object = None) -> JsonObject:
    """Return the document of the response. End the command with the detail if it is an error."""
    try:
        answer = client.request(method, path, json=body)
        document = cast("JsonObject", _escape(answer.json())) if answer.content else {}
    except (httpx.HTTPError, ValueError) as error:
        fail(
            f"No Tacho answers at {client.base_url}: {error}. Start it with make up, or give --url."
        )
    if answer.is_error:
        problems = document.get("problems") or []
        lines = [f"  {problem['field']}: {problem['detail']}" for problem in problems[1:]]
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            lines.append("On the command line, run tacho login, or set TACHO_TOKEN.")
        fail("\n".join([document["detail"], *lines]), ExitCode.REFUSED)
    return document


def _escape(value: object) -> object:
    """Return a document whose texts cannot control the terminal. People and hosts write some."""
    if isinstance(value, str):
        return escape_lines(value)
    if isinstance(value, list):
        return [_escape(item) for item in value]
    if isinstance(value, dict):
        return {name: _escape(item) for name, item in value.items()}
    return value


def follow(client: httpx.Client, run_id: str, console: Console) -> JsonObject:
    """Return the run when it has ended, and show a progress bar until then."""
    stage = TextColumn("{task.description}", markup=False)
    columns = (stage, BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("queued", total=1.0)
        while True:
            current = ask(client, "GET", f"/api/v1/runs/{run_id}")
            bar.update(task, completed=current["progress"]["share"], description=_stage(current))
            if current["status"] in _ENDS:
                return current
            time.sleep(_POLL_SECONDS)


def _stage(current: JsonObject) -> str:
    progress = current["progress"]
    if current["status"] == "queued":
        wait_minutes = ceil((progress["estimated_seconds_until_start"] or 0) / 60)
        ahead = progress["queue_position"]
        return f"queued behind {ahead} {'run' if ahead == 1 else 'runs'}, about {wait_minutes} min"
    cells = {cell["id"]: cell for cell in current["cells"]}
    done = f"{progress['trials_finished']}/{progress['trials_total']}"
    for trial in current["trials"]:
        if trial["status"] not in _ENDS | {"queued"}:
            framework = cells[trial["cell_id"]]["framework"]["name"]
            return f"{done} {framework} {trial['status'].replace('_', ' ')}"
    return f"{done} {current['status']}"

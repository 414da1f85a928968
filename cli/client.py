"""The client for commands that use the REST API of a running Tacho."""

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from enum import IntEnum
from http import HTTPStatus
from math import ceil
from typing import BinaryIO, NoReturn, cast
from urllib.parse import urlsplit

import httpx
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from backend.core.config import Settings
from backend.core.control_characters import escape_lines
from backend.core.documents import JsonObject
from backend.core.numbers import count_of
from backend.platform.network import public_url
from cli import credentials
from cli.console import fail, read_settings

# Until a stream of events that ended or broke is opened again.
_AGAIN_SECONDS = 2.0
_ENDS = {"succeeded", "failed", "cancelled"}


class ExitCode(IntEnum):
    """Exit codes of commands, for scripts."""

    SUCCEEDED = 0
    FAILED = 1
    REFUSED = 2
    CANCELLED = 3
    BEYOND_LIMIT = 4
    NOT_USABLE = 5
    UNKNOWN = 6
    DETACHED = 130


def open_client(settings: Settings, url: str | None) -> httpx.Client:
    """Return a client for the Tacho at `url`, by default the one of these settings.

    It sends TACHO_TOKEN, or else the token that `tacho login` stored for this Tacho.
    """
    base = find_url(settings, url)
    return make_client(base, settings.token.get_secret_value() or credentials.find_token(base))


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
        return read_answer(client.request(method, path, json=body))
    except (httpx.HTTPError, ValueError) as error:
        _fail_without_answer(client, error)


def call(url: str | None, method: str, path: str, body: object = None) -> JsonObject:
    """Return the document of the response of the Tacho at `url`; see `open_client` and `ask`."""
    with open_client(read_settings(), url) as client:
        return ask(client, method, path, body)


def download(client: httpx.Client, path: str, target: BinaryIO) -> None:
    """Write the body of a response to `target`. End the command as `ask` does."""
    try:
        with client.stream("GET", path) as answer:
            if answer.is_error:
                answer.read()
                read_answer(answer)
            target.writelines(answer.iter_bytes())
    except (httpx.HTTPError, ValueError) as error:
        _fail_without_answer(client, error)


def read_answer(answer: httpx.Response) -> JsonObject:
    """Return the document of a response. End the command with the detail if it is an error."""
    document = cast("JsonObject", _escape(answer.json())) if answer.content else {}
    if answer.is_error:
        problems = document.get("problems") or []
        lines = [f"  {problem['field']}: {problem['detail']}" for problem in problems[1:]]
        if answer.status_code == HTTPStatus.UNAUTHORIZED:
            lines.append("On the command line, run tacho login, or set TACHO_TOKEN.")
        fail("\n".join([document["detail"], *lines]), ExitCode.REFUSED)
    return document


def _fail_without_answer(client: httpx.Client, error: Exception) -> NoReturn:
    fail(f"No Tacho answers at {client.base_url}: {error}. Start it with make up, or give --url.")


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
    """Return the run when it has ended, and show a progress bar until then.

    The run itself is requested only at the beginning and the end. Between them, its events show how
    far it is, because requests each second would cost the host CPU time while it measures.
    """
    path = f"/api/v1/runs/{run_id}"
    stage = TextColumn("{task.description}", markup=False)
    columns = (stage, BarColumn(), TextColumn("{task.percentage:.0f} %"), TimeElapsedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("queued", total=1.0)
        while True:
            state = run = ask(client, "GET", path)
            current = next((trial for trial in run["trials"] if _is_measured(trial)), None)
            events = itertools.chain([("run", run)], _follow_events(client, f"{path}/events"))
            for name, event in events:
                if name == "trial":
                    current = event if _is_measured(event) else None
                if name == "run":
                    state = event
                share = state["progress"]["share"]
                bar.update(task, completed=share, description=_stage(run, state, current))
                if state["status"] in _ENDS or name == "end":
                    break
            else:
                time.sleep(_AGAIN_SECONDS)
            if run["status"] in _ENDS:
                return run


def _follow_events(client: httpx.Client, path: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the name and the document of each event of a run until the stream ends or breaks."""
    name = ""
    with suppress(httpx.HTTPError), client.stream("GET", path) as answer:
        if answer.is_error:
            return
        for line in answer.iter_lines():
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                yield name, cast("JsonObject", _escape(json.loads(value)))


def _is_measured(trial: JsonObject) -> bool:
    return trial["status"] not in _ENDS | {"queued"}


def _stage(run: JsonObject, state: JsonObject, trial: JsonObject | None) -> str:
    """Return what happens now.

    Args:
        run: its cells have the names of the frameworks.
        state: the status of the run and its progress.
        trial: the trial that is measured.
    """
    progress = state["progress"]
    if state["status"] == "queued":
        wait_minutes = ceil((progress["estimated_seconds_until_start"] or 0) / 60)
        ahead = progress["queue_position"]
        return f"queued behind {count_of(ahead, 'run')}, about {wait_minutes} min"
    done = f"{progress['trials_finished']}/{progress['trials_total']}"
    if trial is None:
        return f"{done} {state['status']}"
    cells = {cell["id"]: cell for cell in run["cells"]}
    framework = cells[trial["cell_id"]]["framework"]["name"]
    return f"{done} {framework} {trial['status'].replace('_', ' ')}"

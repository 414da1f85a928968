"""Commands about one run: `tacho show`, `export`, `rerun`, `cancel`, `archive` and `delete`."""

import os
from math import ceil
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from backend.core.documents import JsonObject
from backend.core.numbers import count_of
from backend.core.units import Purpose
from cli import credentials
from cli.cells import RunName, Url
from cli.client import ExitCode, ask, download, get_address, make_client, open_client
from cli.console import fail, read_settings
from cli.results import RequireUsable, Wait, make_console, print_answer, print_result, wait_for

Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]


def show(name: RunName, url: Url = None) -> None:
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


# A longer ending comes before a shorter ending that it contains.
_FORMATS = ("json", "seconds.csv", "csv", "md", "html", "bib")

File = Annotated[
    Path,
    typer.Argument(
        help="New file. Its ending chooses the format: .json for all data, .csv for a row for each "
        "trial, .seconds.csv for a row for each second, .md for tables, .html for the page, which "
        "opens offline, or .bib for BibTeX."
    ),
]


def export(name: RunName, file: File, url: Url = None) -> None:
    """Write the result of a run to a new file.

    Exit codes: 0 written, 1 Tacho does not answer or the file cannot be written, 2 refused.
    """
    suffix = next((known for known in _FORMATS if file.name.endswith(f".{known}")), None)
    if suffix is None:
        endings = ", ".join(f".{known}" for known in _FORMATS)
        fail(f"{file}: end the name with one of {endings}.", ExitCode.REFUSED)
    if file.exists():
        fail(f"{file} exists. Name a new file, or delete this one.", ExitCode.REFUSED)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with open_client(read_settings(), url) as client, part.open("xb") as target:
            download(client, f"/api/v1/runs/{name}/export.{suffix}", target)
        part.replace(file)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror or error}. Name another file.")
    finally:
        # A file with this name never holds a part of an export.
        part.unlink(missing_ok=True)
    print(f"{file}: {file.stat().st_size:,} bytes.")


_PAGES = ("/r/", "/runs/")
_PINNED_CHARACTERS = 12


def rerun(
    name: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Slug or id of the run, or the address of a run of any Tacho: its cells are "
            "measured here, in the same order of trials.",
        ),
    ],
    wait: Wait = False,
    require_usable: RequireUsable = False,
    url: Url = None,
) -> None:
    """Queue the cells of a run again.

    By its slug, a run is repeated on its host in a new order of trials. By its address, the same
    cells are measured on a host of this Tacho, in the same order. That is refused if a framework
    has other files here.

    Exit codes: as `tacho run`.
    """
    console = make_console()
    body = _read_request(name) if "://" in name else None
    with open_client(read_settings(), url) as client:
        queued = (
            ask(client, "POST", f"/api/v1/runs/{name}/rerun")
            if body is None
            else ask(client, "POST", "/api/v1/runs", body)
        )
        address = get_address(client, queued["permalink"])
        console.print(f"{queued['title']}: {address}", soft_wrap=True)
        if wait:
            raise typer.Exit(wait_for(client, console, queued, require_usable=require_usable))


def _read_request(address: str) -> JsonObject:
    """Return the request for the run at an address."""
    parts = urlsplit(address)
    page = next((page for page in _PAGES if parts.path.startswith(page)), None)
    if page is None or parts.scheme not in {"http", "https"}:
        detail = "give the address of a run, such as https://tacho.example.org/r/k3v9q2mx4d."
        fail(f"{address}: {detail}", ExitCode.REFUSED)
    base = f"{parts.scheme}://{parts.netloc}"
    # TACHO_TOKEN is for this Tacho. Another one only gets the token of its own sign-in.
    with make_client(base, credentials.find_token(base)) as client:
        found = ask(client, "GET", f"/api/v1/runs/{parts.path.removeprefix(page)}")
    if found["purpose"] != Purpose.COMPARISON:
        fail(f"{address}: a {found['purpose']} run can only be repeated there.", ExitCode.REFUSED)
    goal = found["goal"]
    limits = ("until", "max_trials", "max_minutes")
    amount = {name: goal[name] for name in limits} if goal else {"trials": found["trials_per_cell"]}
    return {
        "title": found["title"],
        "cells": [_repeat_cell(cell) for cell in found["cells"]],
        "seed": found["seed"],
        **amount,
    }


def _repeat_cell(cell: JsonObject) -> JsonObject:
    digest = cell["framework_digest"]
    return {
        "framework": cell["framework"]["slug"],
        "scenario": cell["scenario"]["slug"],
        "profile": cell["profile"],
        "parameters": cell["parameters"],
        **({"framework_digest": digest[:_PINNED_CHARACTERS]} if digest else {}),
    }


IsGroup = Annotated[
    bool,
    typer.Option("--group", help="RUN is the slug of a group: cancel all of its runs."),
]


def cancel(name: RunName, is_group: IsGroup = False, url: Url = None) -> None:
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
        print(f"{cancelled['slug']} on {cancelled['host']}: {_describe_end(cancelled['status'])}")


def _describe_end(status: str) -> str:
    if status in {"queued", "running"}:
        return "its current trial is being stopped"
    return "cancelled" if status == "cancelled" else f"it had {status} before"


def archive(name: RunName, yes: Yes = False, url: Url = None) -> None:
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


# The fields of the API: rows that are deleted with a run, and rows that stay.
_DELETED = {
    "trials": "trials, with seconds, logs and charts",
    "changes": "detected changes",
    "host_events": "host events",
    "scheduled_runs": "starts of schedules",
}
_KEPT = {"reruns": "runs that repeat it", "snapshots": "saved comparisons"}


def delete(name: RunName, yes: Yes = False, url: Url = None) -> None:
    """Delete an ended run with all its results. Saved comparisons stay.

    The command lists what depends on the run, and asks before it deletes.

    Exit codes: 0 deleted, 1 Tacho does not answer, 2 refused.
    """
    with open_client(read_settings(), url) as client:
        found = ask(client, "GET", f"/api/v1/runs/{name}/dependents")
        print(f"Tacho deletes: {_name(found, _DELETED)}. These stay: {_name(found, _KEPT)}.")
        if not yes and not typer.confirm("Delete the run? This cannot be undone."):
            fail("The run was not deleted.", ExitCode.REFUSED)
        ask(client, "DELETE", f"/api/v1/runs/{name}")
    print(f"Run {name} is deleted.")


def _name(found: JsonObject, names: dict[str, str]) -> str:
    counts = [f"{found[field]} {noun}" for field, noun in names.items() if found[field]]
    return ", ".join(counts) or "nothing else"

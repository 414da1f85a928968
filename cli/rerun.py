"""`tacho rerun`: queue a run again from a shell."""

from typing import Annotated
from urllib.parse import urlsplit

import typer

from backend.core.documents import JsonObject
from backend.core.units import Purpose
from cli import credentials
from cli.cells import Url
from cli.client import ExitCode, ask, get_address, make_client, open_client
from cli.console import fail, read_settings
from cli.results import RequireUsable, Wait, make_console, wait_for

_PAGES = ("/r/", "/runs/")
_PINNED_CHARACTERS = 12


def run(
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
        "cells": [_repeat(cell) for cell in found["cells"]],
        "seed": found["seed"],
        **amount,
    }


def _repeat(cell: JsonObject) -> JsonObject:
    digest = cell["framework_digest"]
    return {
        "framework": cell["framework"]["slug"],
        "scenario": cell["scenario"]["slug"],
        "profile": cell["profile"],
        "parameters": cell["parameters"],
        **({"framework_digest": digest[:_PINNED_CHARACTERS]} if digest else {}),
    }

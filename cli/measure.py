"""`tacho measure`: add a commit to the history of the service."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.console import Console
from rich.markup import escape

from backend.addresses import API_ROOT
from backend.core.catalog.own.service_file import FILE_NAME, parse_service_file
from backend.core.documents import JsonObject
from backend.core.errors import InvalidRequest
from backend.core.measurement.statistics.guard import ChangeState
from backend.core.results.guard.document import GuardReport, HistoryPart
from backend.core.results.guard.report import render_text
from backend.core.statuses import GuardVerdict
from cli.cells import Url
from cli.client import ExitCode, ask, find_url, open_client
from cli.console import read_settings
from cli.guard import EXITS, GuardCommand
from cli.own import (
    FolderOption,
    LoadsOption,
    MinutesOption,
    RuntimeOption,
    begin,
    end_on_failure,
)
from cli.repository import Repository
from worker.guard.guard import BaseAndHead


def run(
    since: Annotated[
        str | None,
        typer.Option(
            help="The reference of the history: a tag, branch or commit. Default: that of the "
            "commit that was measured last."
        ),
    ] = None,
    head: Annotated[str, typer.Option(help="The commit to measure.")] = "HEAD",
    load: LoadsOption = None,
    minutes: MinutesOption = None,
    runtime: RuntimeOption = None,
    folder: FolderOption = Path(),
    on: Annotated[
        str | None,
        typer.Option(help="Measure on this bench host of the running Tacho, or on any."),
    ] = None,
    url: Url = None,
) -> None:
    """Add a commit to the history of the service, which a running Tacho keeps.

    Compares the commit with the reference of the history. If it differs from the commit that was
    measured before, compares these two as well, to confirm the difference.

    Exit codes: 0 no difference from the commit before, or better, 1 a version fails, 2 refused,
    4 worse, confirmed, 5 different responses or not measurable, 6 worse, but not confirmed in the
    time, 130 interrupted.
    """
    place = begin(folder)
    settings = read_settings()
    console = Console(soft_wrap=True)
    target = find_url(settings, url)
    with end_on_failure(), open_client(settings, target) as client:
        repository = Repository.find(place)
        service = parse_service_file(repository.folder / FILE_NAME).service.name
        reference = repository.find_version(since or _find_reference(client, service))
        commit = repository.find_version(head)
        if reference.commit == commit.commit:
            raise InvalidRequest(
                f"{commit.label} is the reference of the history, so there is nothing to compare. "
                "Measure a later commit."
            )
        command = GuardCommand(settings, repository, console, runtime, on, target, minutes)
        report = _measure(command, (reference, commit), load, HistoryPart.POINT)
        if report.verdict is GuardVerdict.RESPONSES_DIFFER:
            console.print(
                "A history has only commits that answer as its reference does. If the change is "
                f"intended, begin a new history with the next commit: --since {commit.label}",
                highlight=False,
            )
            raise typer.Exit(ExitCode.NOT_USABLE)
        step = find_step(client, report)
        if step is None:
            console.print("No difference from an earlier commit was found.")
            return
        # Another clone may have measured the commit before.
        before = repository.find_version(step.before)
        console.print(f"It differs from {before.label}. Comparing both …", highlight=False)
        confirmation = _measure(command, (before, commit), step.loads, HistoryPart.CONFIRMATION)
    if confirmation.verdict is GuardVerdict.UNKNOWN and not step.is_worse:
        return
    raise typer.Exit(EXITS.get(confirmation.verdict, ExitCode.SUCCEEDED))


@dataclass(frozen=True)
class CommitStep:
    """The commit that was measured before, and the loads under which the newest one differs.

    `is_worse` is whether any metric got worse.
    """

    before: str
    loads: Sequence[str]
    is_worse: bool


def _measure(
    command: GuardCommand, versions: BaseAndHead, loads: Sequence[str] | None, part: HistoryPart
) -> GuardReport:
    """Compare two commits, store and print the result."""
    report, address = command.compare(versions, loads=loads, history=part)
    text = f"{report.head.label} next to {report.base.label}: {render_text(report)}"
    command.console.print(escape(text), highlight=False)
    address = address or command.store(report)
    if address is None:
        # The reason is printed.
        raise typer.Exit(ExitCode.FAILED)
    command.console.print(escape(f"Result: {address}"), highlight=False)
    return report


def _list_histories(client: httpx.Client, service: str) -> Sequence[JsonObject]:
    found = ask(client, "GET", f"{API_ROOT}/guards/history?service={service}")["items"]
    assert isinstance(found, list)
    return found


def _find_reference(client: httpx.Client, service: str) -> str:
    """Return the reference of the commit that was measured last; raise InvalidRequest."""
    known = _list_histories(client, service)
    if not known:
        raise InvalidRequest(
            f"{service} has no history yet. Choose the version to which its commits are compared, "
            "such as the last release: --since v1.4"
        )
    return str(known[0]["reference"]["commit"])


def find_step(client: httpx.Client, report: GuardReport) -> CommitStep | None:
    """Return how a stored commit differs from the one before on its host; None if it does not."""
    place = (report.base.commit, report.host, report.runtime)
    for history in _list_histories(client, report.service):
        if (history["reference"]["commit"], history["host"], history["runtime"]) != place:
            continue
        for before, point in pairwise(history["points"]):
            if point["head"]["commit"] == report.head.commit:
                steps = [change for change in point["changes"] if change["step"]]
                loads = list(dict.fromkeys(step["load"] for step in steps))
                is_worse = any(step["step"] == ChangeState.WORSE for step in steps)
                return CommitStep(before["head"]["commit"], loads, is_worse) if steps else None
    return None

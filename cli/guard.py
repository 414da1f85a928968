"""`tacho guard`: did this change make the service slower?"""

import json
import secrets
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from backend.core.catalog.own.service_file import FILE_NAME, ServiceFile, parse_service_file
from backend.core.config import Settings
from backend.core.errors import InvalidRequest
from backend.core.results.guard.document import (
    GuardOptions,
    GuardReport,
    HistoryPart,
    ServiceVersion,
    cut_line,
)
from backend.core.results.guard.report import render_markdown, render_text, to_document
from backend.core.statuses import GuardVerdict
from backend.core.units import RuntimeKind
from cli.cells import Url
from cli.client import ExitCode, find_url, open_client
from cli.console import read_settings
from cli.own import (
    ConsoleDisplay,
    FolderOption,
    LoadsOption,
    MinutesOption,
    RuntimeOption,
    begin,
    end_on_failure,
    export_version,
    open_own_bench,
)
from cli.publishing import publish_report
from cli.remote_guard import RemoteGuard
from cli.repository import WORKING_TREE, Repository, apply_change, make_version
from worker.guard.checks import select_loads
from worker.guard.guard import BaseAndHead, Guard
from worker.guard.sources import open_scratch

EXITS = {
    GuardVerdict.SLOWER: ExitCode.BEYOND_LIMIT,
    GuardVerdict.UNKNOWN: ExitCode.UNKNOWN,
    GuardVerdict.RESPONSES_DIFFER: ExitCode.NOT_USABLE,
}


def run(
    base: Annotated[
        str | None, typer.Option(help="Branch, tag or commit to compare with, as origin/main.")
    ] = None,
    head: Annotated[
        str | None, typer.Option(help="Branch, tag or commit to judge. Default: the working tree.")
    ] = None,
    change: Annotated[
        str | None,
        typer.Option(
            help="A command that changes a copy of the service, as 'npm install express@5'. The "
            "copy is then the head."
        ),
    ] = None,
    load: LoadsOption = None,
    minutes: MinutesOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False,
    markdown: Annotated[
        Path | None, typer.Option(help="Write a comment for a pull request to this file.")
    ] = None,
    runtime: RuntimeOption = None,
    folder: FolderOption = Path(),
    seed: Annotated[
        int | None, typer.Option(help="Seed of the order of the trials, to repeat a guard.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            help="Measure on this bench host of a running Tacho, or on any, and store the result."
        ),
    ] = None,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="Store the result in Tacho, and print its address."),
    ] = False,
    url: Url = None,
) -> None:
    """Compare two versions of the service of this repository, here or on a bench host.

    Builds both, checks that they answer the same requests equally, and measures pairs of trials
    until every change is decided, or the time is up.

    Exit codes: 0 within the limits, 1 a version fails, 2 refused, 4 slower, 5 different responses
    or not measurable, 6 unknown, 130 interrupted.
    """
    comment = None if markdown is None else markdown.resolve()
    place = begin(folder)
    settings = read_settings()
    # The document is alone on standard output.
    console = Console(stderr=as_json, soft_wrap=True)
    # A wrong address must not lose the result of an hour.
    target = find_url(settings, url) if publish or on else None
    with end_on_failure():
        repository = Repository.find(place)
        command = GuardCommand(settings, repository, console, runtime, on, target, minutes, seed)
        versions = _choose_versions(repository, base, head, change)
        report, address = command.compare(versions, loads=load, change=change)
    if not as_json:
        console.print(escape(render_text(report)), highlight=False)
    address = address or command.store(report)
    if address is not None:
        console.print(escape(f"Result: {address}"), highlight=False)
    if comment is not None:
        comment.write_text(render_markdown(report, address), encoding="utf-8")
    if as_json:
        document = to_document(report, address)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    raise typer.Exit(EXITS.get(report.verdict, ExitCode.SUCCEEDED))


@dataclass(frozen=True)
class GuardCommand:
    """Compares versions of the service of a repository, here or on a bench host.

    Attributes:
        on: the bench host; None for this machine.
        target: the address of the Tacho that stores results; None stores nothing.
        minutes, seed: None for those of `tacho.toml`, and a random one.
    """

    settings: Settings
    repository: Repository
    console: Console
    runtime: RuntimeKind | None
    on: str | None
    target: str | None
    minutes: int | None
    seed: int | None = None

    def compare(
        self,
        versions: BaseAndHead,
        *,
        loads: Sequence[str] | None,
        change: str | None = None,
        history: HistoryPart | None = None,
    ) -> tuple[GuardReport, str | None]:
        """Return the report about two versions. A bench host has stored it at the address.

        Args:
            loads: their names; None for all.
            change: the command that makes the head from the base.
            history: the part in the history of the service.

        Raises:
            NotMeasurable, TachoError: a version fails.
        """
        settings = self.settings
        with open_scratch(settings.data) as scratch, ConsoleDisplay(self.console) as display:
            sources = _export(self.repository, versions, change, scratch)
            file = parse_service_file(sources[1] / FILE_NAME)
            names = select_loads(file, loads)
            options = GuardOptions(
                change=None if change is None else cut_line(change),
                loads=tuple(names) if loads else None,
                minutes=self.minutes,
                seed=secrets.randbits(32) if self.seed is None else self.seed,
                on=self.on,
                history=history,
            )
            if self.on is not None:
                runtimes = _list_runtimes(file, self.runtime)
                with open_client(settings, self.target) as client:
                    remote = RemoteGuard(client, display, scratch)
                    return remote.run(file.service.name, versions, sources, options, runtimes)
            bench = open_own_bench(settings, self.runtime, file)
            return Guard(bench, file, names, options, display).run(versions, sources, scratch), None

    def store(self, report: GuardReport) -> str | None:
        """Store a report, if the command has an address; return that of its page.

        A failure is printed.
        """
        return None if self.target is None else publish_report(self.settings, self.target, report)


def _list_runtimes(file: ServiceFile, runtime: RuntimeKind | None) -> list[RuntimeKind]:
    """Return where the service can run, or the chosen runtime."""
    if runtime is not None:
        return [runtime]
    tables = {RuntimeKind.DOCKER: file.docker, RuntimeKind.PROCESS: file.process}
    return [kind for kind, table in tables.items() if table is not None]


def _choose_versions(
    repository: Repository, base: str | None, head: str | None, change: str | None
) -> BaseAndHead:
    """Return base and head. Raises NotFound, or InvalidRequest if nothing is to be compared."""
    tree = ServiceVersion(name=WORKING_TREE)
    if change is not None:
        if head is not None:
            raise InvalidRequest("--head and --change exclude each other; leave one out.")
        first = tree if base is None else repository.find_version(base)
        return first, make_version(change)
    if base is None:
        raise InvalidRequest(
            "Give the version to compare with: --base origin/main. Or give a change of it: "
            "--change 'npm install express@5'."
        )
    return repository.find_version(base), tree if head is None else repository.find_version(head)


def _export(
    repository: Repository,
    versions: BaseAndHead,
    change: str | None,
    scratch: Path,
) -> tuple[Path, Path]:
    """Write both versions to folders; return these. Raises TachoError."""
    base = export_version(repository, versions[0], scratch / "base")
    if change is None:
        return base, export_version(repository, versions[1], scratch / "head")
    head = scratch / "head" / base.name
    shutil.copytree(base, head, symlinks=True)
    apply_change(change, head)
    return base, head

"""`tacho guard`: did this change make the service slower?"""

import json
import secrets
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import FILE_NAME, ServiceFile, parse_service_file
from backend.core.control_characters import escape_lines
from backend.core.errors import InvalidRequest, ManifestInvalid, NotFound, TachoError
from backend.core.numbers import count_of
from backend.core.results.guard.document import (
    GuardedLoad,
    GuardedMetric,
    GuardReport,
    ServiceVersion,
)
from backend.core.results.guard.report import (
    compare_with_itself,
    render_markdown,
    render_text,
    to_document,
)
from backend.core.results.guard.responses import compare_responses
from backend.core.statuses import GuardVerdict
from backend.core.units import RuntimeKind
from cli.cells import Url
from cli.client import ExitCode, find_url
from cli.console import fail, read_settings
from cli.own import (
    FolderOption,
    RuntimeOption,
    begin,
    check_loads,
    explain_failure,
    export_version,
    make_catalogue,
    open_own_bench,
    select_loads,
)
from cli.publishing import publish_report
from cli.repository import (
    WORKING_TREE,
    Repository,
    apply_change,
    cut_line,
    make_version,
    open_scratch,
)
from worker.bench.bench import Bench
from worker.guard.measuring import GuardMeasurement, NotMeasurable, VersionPair
from worker.guard.versions import LoadCheck

BaseAndHead = tuple[ServiceVersion, ServiceVersion]
_ENGINE = "Tacho's sender"
_SCRIPT_ENGINE = "k6"
_EXITS = {
    GuardVerdict.SLOWER: ExitCode.BEYOND_LIMIT,
    GuardVerdict.UNKNOWN: ExitCode.UNKNOWN,
    GuardVerdict.RESPONSES_DIFFER: ExitCode.NOT_USABLE,
}


@dataclass(frozen=True)
class GuardRequest:
    """The versions to compare, and how."""

    base: str | None
    head: str | None
    change: str | None
    loads: Sequence[str] | None
    minutes: int | None
    runtime: RuntimeKind | None
    seed: int


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
    load: Annotated[
        list[str] | None, typer.Option("--load", help="Send only this load; may be repeated.")
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(min=1, max=1440, help="Limit for the trials. Default: that of tacho.toml."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False,
    markdown: Annotated[
        Path | None, typer.Option(help="Write a comment for a pull request to this file.")
    ] = None,
    runtime: RuntimeOption = None,
    folder: FolderOption = Path(),
    seed: Annotated[
        int | None, typer.Option(help="Seed of the order of the trials, to repeat a guard.")
    ] = None,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="Store the result in Tacho, and print its address."),
    ] = False,
    url: Url = None,
) -> None:
    """Compare two versions of the service of this repository on this machine.

    Builds both, checks that they answer the same requests equally, and measures them in turn until
    every change is decided, or the time is up.

    Exit codes: 0 within the limits, 1 a version fails, 2 refused, 4 slower, 5 different responses
    or not measurable, 6 unknown, 130 interrupted.
    """
    comment = None if markdown is None else markdown.resolve()
    place = begin(folder)
    settings = read_settings()
    # The document is alone on standard output.
    console = Console(stderr=as_json, soft_wrap=True)
    # A wrong address must not lose the result of an hour.
    target = find_url(settings, url) if publish else None
    chosen = secrets.randbits(32) if seed is None else seed
    request = GuardRequest(base, head, change, load, minutes, runtime, chosen)
    try:
        repository = Repository.find(place)
        with open_scratch(settings.data) as scratch:
            versions = _choose_versions(repository, request)
            sources = _export(repository, versions, request, scratch)
            file = parse_service_file(sources[1] / FILE_NAME)
            loads = select_loads(file, load)
            guard = _Guard(open_own_bench(settings, runtime, file), file, loads, request, console)
            report = guard.run(versions, sources, scratch)
    except NotMeasurable as error:
        fail(escape_lines(error.detail), ExitCode.NOT_USABLE)
    except (InvalidRequest, NotFound) as error:
        fail(escape_lines(error.detail), ExitCode.REFUSED)
    except TachoError as error:
        fail(escape_lines(error.detail))
    except KeyboardInterrupt:
        fail("Interrupted. Nothing was decided.", ExitCode.DETACHED)
    if not as_json:
        console.print(escape(render_text(report)), highlight=False)
    address = None if target is None else publish_report(settings, target, report)
    if address is not None:
        console.print(escape(f"Result: {address}"), highlight=False)
    if comment is not None:
        comment.write_text(render_markdown(report, address), encoding="utf-8")
    if as_json:
        document = to_document(report, address)
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    raise typer.Exit(_EXITS.get(report.verdict, ExitCode.SUCCEEDED))


def _choose_versions(repository: Repository, request: GuardRequest) -> BaseAndHead:
    """Return base and head. Raises NotFound, or InvalidRequest if nothing is to be compared."""
    tree = ServiceVersion(name=WORKING_TREE)
    if request.change is not None:
        if request.head is not None:
            raise InvalidRequest("--head and --change exclude each other; leave one out.")
        base = tree if request.base is None else repository.find_version(request.base)
        return base, make_version(request.change)
    if request.base is None:
        raise InvalidRequest(
            "Give the version to compare with: --base origin/main. Or give a change of it: "
            "--change 'npm install express@5'."
        )
    base = repository.find_version(request.base)
    return base, tree if request.head is None else repository.find_version(request.head)


def _export(
    repository: Repository,
    versions: BaseAndHead,
    request: GuardRequest,
    scratch: Path,
) -> tuple[Path, Path]:
    """Write both versions to folders; return these. Raises TachoError."""
    base = export_version(repository, versions[0], scratch / "base")
    if request.change is None:
        return base, export_version(repository, versions[1], scratch / "head")
    head = scratch / "head" / base.name
    shutil.copytree(base, head, symlinks=True)
    apply_change(request.change, head)
    return base, head


class _Guard:
    """A guard on this machine."""

    def __init__(
        self,
        bench: Bench,
        file: ServiceFile,
        loads: Sequence[str],
        request: GuardRequest,
        console: Console,
    ) -> None:
        self._bench = bench
        self._file = file
        self._loads = loads
        self._request = request
        self._minutes = request.minutes or file.guard.minutes
        self._console = console

    def run(
        self,
        versions: BaseAndHead,
        sources: tuple[Path, Path],
        scratch: Path,
    ) -> GuardReport:
        """Check, compare and measure both versions.

        Raises:
            NotMeasurable, TachoError: a version fails.
        """
        base, head = (
            self._open(source, what, sources[1], scratch)
            for source, what in zip(sources, ("base", "head"), strict=True)
        )
        checks = [
            self._check(catalogue, f"{what} {version.label}")
            for catalogue, version, what in zip(
                (base, head), versions, ("base", "head"), strict=True
            )
        ]
        report = self._begin_report(versions, checks)
        if report.verdict is GuardVerdict.RESPONSES_DIFFER:
            return report
        measurement = GuardMeasurement(
            self._bench, VersionPair(base, head), self._loads, self._minutes, self._request.seed
        )
        self._measure(measurement)
        return self._finish(report, measurement)

    def _open(self, source: Path, what: str, load_source: Path, scratch: Path) -> OwnCatalogue:
        try:
            return make_catalogue(
                self._bench, source, self._file, load_source, scratch / f"loads-{what}"
            )
        except ManifestInvalid as error:
            raise ManifestInvalid(f"The {what} cannot be built: {error.detail}") from error

    def _check(self, catalogue: OwnCatalogue, what: str) -> dict[str, LoadCheck]:
        checks = check_loads(self._bench, catalogue, self._loads, what, self._console)
        for name, check in checks.items():
            if not check.outcome.has_passed:
                reason = explain_failure(check, name, catalogue, self._bench)
                raise TachoError(f"The {what} fails. {reason}")
        return checks

    def _begin_report(
        self,
        versions: BaseAndHead,
        checks: Sequence[Mapping[str, LoadCheck]],
    ) -> GuardReport:
        digests = [next(iter(found.values())).digest for found in checks]
        warnings = []
        if digests[0] == digests[1]:
            warnings.append(
                "Base and head have the same files, so this compares a build with itself."
            )
        loads = []
        for name in self._loads:
            first, second = (found[name].responses for found in checks)
            responses = None
            if first is not None and second is not None:
                rules = self._file.guard
                responses = compare_responses(first, second, rules.headers, rules.ignore)
            loads.append(
                GuardedLoad(load=name, engine=self._name_engine(name), responses=responses)
            )
        return GuardReport(
            service=self._file.service.name,
            base=versions[0].model_copy(update={"build": digests[0]}),
            head=versions[1].model_copy(update={"build": digests[1]}),
            loads=tuple(loads),
            host=self._bench.name,
            runtime=self._bench.runtime.kind,
            most_minutes=self._minutes,
            warnings=tuple(warnings),
            command=cut_line(self._write_command(versions)),
        )

    def _measure(self, measurement: GuardMeasurement) -> None:
        with self._console.status("measuring") as status:

            def show(load: str, version: str, pair: int) -> None:
                minutes = measurement.elapsed_s / 60
                shown = (
                    f"{load}: pair {pair} of at most {measurement.most_pairs}, {version}; "
                    f"{minutes:.0f} of at most {self._minutes} min"
                )
                status.update(shown)
                if not self._console.is_terminal:
                    # The log of a pipeline shows that the guard goes on.
                    self._console.print(shown, highlight=False)

            measurement.run(show)

    def _finish(self, report: GuardReport, measurement: GuardMeasurement) -> GuardReport:
        known = measurement.judge()
        loads = tuple(
            load.model_copy(
                update={
                    "pairs": paired.pairs,
                    "changes": tuple(
                        GuardedMetric.of(change, compare_with_itself(paired.base[change.metric]))
                        for change in known[load.load]
                    ),
                }
            )
            for load, paired in zip(report.loads, measurement.loads, strict=True)
        )
        warnings = [
            cut_line(f"{load.name}, {count_of(len(details), 'trial')}: {details[0]}")
            for load in measurement.loads
            for details in load.warnings.values()
        ]
        return report.model_copy(
            update={
                "loads": loads,
                "minutes": measurement.elapsed_s / 60,
                "warnings": (*report.warnings, *warnings),
            }
        )

    def _name_engine(self, load: str) -> str:
        return _ENGINE if self._file.loads[load].http is not None else _SCRIPT_ENGINE

    def _write_command(self, versions: BaseAndHead) -> str:
        request, words = self._request, ["tacho", "guard"]
        if versions[0].commit is not None:
            words += ["--base", versions[0].commit[:10]]
        if request.change is not None:
            words += ["--change", request.change]
        elif versions[1].commit is not None:
            words += ["--head", versions[1].commit[:10]]
        for name in request.loads or []:
            words += ["--load", name]
        if request.minutes is not None:
            words += ["--minutes", str(request.minutes)]
        return shlex.join([*words, "--seed", str(request.seed)])

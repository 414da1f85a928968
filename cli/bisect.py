"""`tacho bisect`: find the first slow commit."""

import secrets
from dataclasses import dataclass, replace
from math import ceil, floor, log, log2
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from backend.core.catalog.own.own_catalogue import OwnCatalogue
from backend.core.catalog.own.service_file import FILE_NAME, ServiceFile, parse_service_file
from backend.core.errors import InvalidRequest, TachoError
from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.measurement.statistics.guard import (
    DECISION_ERROR_RATE,
    ChangeState,
    find_side,
    judge_change,
)
from backend.core.results.guard.document import ServiceVersion
from backend.core.results.guard.report import format_change
from backend.core.units import METRICS, Metric
from cli.client import ExitCode
from cli.console import read_settings
from cli.own import (
    ConsoleDisplay,
    FolderOption,
    RuntimeOption,
    begin,
    end_on_failure,
    export_version,
    open_own_bench,
)
from cli.repository import Repository
from worker.bench.bench import Bench
from worker.guard.checks import check_loads, make_catalogue, select_loads
from worker.guard.measuring import PairedLoad, Pairing, VersionPair
from worker.guard.sources import open_scratch

# The first slow commit is right with a probability of 95 %.
_ERROR_RATE = 0.05
_MOST_PAIRS = 20


@dataclass(frozen=True)
class _Search:
    """The parts that all steps of a search share."""

    bench: Bench
    repository: Repository
    file: ServiceFile
    load_source: Path
    load: str
    metric: Metric
    scratch: Path
    console: Console


def run(
    commits: Annotated[str, typer.Argument(help="GOOD..BAD: a fast commit and a slower one.")],
    load: Annotated[str, typer.Option("--load", help="The load under which it became slower.")],
    metric: Annotated[
        Metric, typer.Option(help="The metric that became worse.")
    ] = Metric.CPU_US_PER_REQUEST,
    runtime: RuntimeOption = None,
    folder: FolderOption = Path(),
) -> None:
    """Find the first commit that made the service slower.

    Compares GOOD with BAD, then with as few commits between them as possible, in pairs of trials.
    Commits that do not build are skipped.

    Exit codes: 0 found, 1 a version fails, 2 refused, 5 not measurable, 6 unknown, 130 interrupted.
    """
    place = begin(folder)
    settings = read_settings()
    console = Console(soft_wrap=True)
    with end_on_failure():
        repository = Repository.find(place)
        good, bad = _read_range(repository, commits)
        file = parse_service_file(repository.folder / FILE_NAME)
        [name] = select_loads(file, [load])
        with open_scratch(settings.data) as scratch:
            bench = open_own_bench(settings, runtime, file)
            search = _Search(
                bench, repository, file, repository.folder, name, metric, scratch, console
            )
            code = _Bisection(search, good, bad).run()
    raise typer.Exit(code)


def _read_range(repository: Repository, commits: str) -> tuple[ServiceVersion, ServiceVersion]:
    good, separator, bad = commits.partition("..")
    if not separator or not good or not bad:
        raise InvalidRequest(f"{commits}: write GOOD..BAD, such as v1.4.0..HEAD.")
    return repository.find_version(good), repository.find_version(bad)


class _Bisection:
    """A search for the first slow commit."""

    def __init__(self, search: _Search, good: ServiceVersion, bad: ServiceVersion) -> None:
        self._search = search
        self._good = good
        self._bad = bad
        self._commits = search.repository.list_commits(good, bad)
        if not self._commits:
            raise InvalidRequest(
                f"There is no commit after {good.label} up to {bad.label}. Exchange them?"
            )
        # The comparison of GOOD with BAD has its own share. The steps share the rest.
        steps = max(1, ceil(log2(len(self._commits) + 1)))
        self._step_rate = (_ERROR_RATE - DECISION_ERROR_RATE) / steps
        self._decided = 0
        self._base = self._open(good)

    def run(self) -> ExitCode:
        """Search, print what was found, and return the exit code."""
        ratio = self._measure_ratio()
        if ratio is None:
            return ExitCode.UNKNOWN
        threshold = abs(log(ratio)) / 2
        commits, skipped = self._commits, set[int]()
        # The last commit is slow; the commit before the first is fast.
        low, high = -1, len(commits) - 1
        while untested := [at for at in range(low + 1, high) if at not in skipped]:
            middle = min(untested, key=lambda at: abs(2 * at - low - high))
            is_slow = self._test(commits[middle], threshold)
            if is_slow is None:
                skipped.add(middle)
            elif is_slow:
                high = middle
            else:
                low = middle
        return self._report(low, high, ratio)

    def _report(self, low: int, high: int, ratio: float) -> ExitCode:
        commits, console = self._commits, self._search.console
        found = commits[low + 1 : high + 1]
        title = METRICS[self._search.metric].title
        if len(found) == 1:
            [first] = found
            # Skipped commits may need more steps than were planned.
            error_rate = DECISION_ERROR_RATE + self._decided * self._step_rate
            console.print(
                f"[bold]First slow commit: {first.label}[/] {escape(first.title)}\n"
                f"{title} {format_change(ratio)} on {self._search.load}, from {self._good.label} "
                f"to {self._bad.label}. Right with a probability of at least "
                f"{floor(100 * (1 - error_rate))} %, if a single commit caused it.",
                highlight=False,
            )
            return ExitCode.SUCCEEDED
        console.print(
            "[bold]The first slow commit is one of these. The others fail or are not decided:[/]"
        )
        for commit in found:
            console.print(f"  {commit.label} {escape(commit.title)}", highlight=False)
        return ExitCode.UNKNOWN

    def _measure_ratio(self) -> float | None:
        """Return the ratio of BAD to GOOD; None if BAD is not worse."""
        paired = self._pair(self._bad)
        if paired is None:
            raise TachoError(f"{self._bad.label} fails, so it cannot be compared.")
        pairing, load = paired
        metric, limit = self._search.metric, self._find_limit()
        for pair in range(1, _MOST_PAIRS + 1):
            self._measure(pairing, load, pair, self._bad)
            if pair < FIRST_LOOK or metric not in load.base:
                continue
            change = judge_change(
                metric,
                load.base[metric],
                load.head[metric],
                limit,
                metrics=1,
                most_pairs=_MOST_PAIRS,
            )
            if change.state is ChangeState.WORSE:
                self._search.console.print(
                    f"{self._bad.label} is worse than {self._good.label}: "
                    f"{METRICS[metric].title} {format_change(change.ratio)}. "
                    f"{len(self._commits)} commits between them.",
                    highlight=False,
                )
                return change.ratio
            if change.state is not ChangeState.UNKNOWN:
                break
        self._search.console.print(
            f"{self._bad.label} is not worse than {self._good.label} by more than "
            f"{100 * limit:g} % in {METRICS[metric].title}, so there is no slow commit to find.",
            highlight=False,
        )
        return None

    def _find_limit(self) -> float:
        limits = self._search.file.loads[self._search.load].limits
        return limits.get(self._search.metric, 0.03)

    def _test(self, commit: ServiceVersion, threshold: float) -> bool | None:
        """Return whether a commit is slow; None if it fails, or is not decided."""
        paired = self._pair(commit)
        if paired is None:
            self._search.console.print(
                f"skipped {commit.label} {escape(commit.title)}: it fails", highlight=False
            )
            return None
        pairing, load = paired
        metric = self._search.metric
        for pair in range(1, _MOST_PAIRS + 1):
            self._measure(pairing, load, pair, commit)
            if metric not in load.base:
                continue
            is_slow = find_side(
                metric,
                load.base[metric],
                load.head[metric],
                threshold,
                error_rate=self._step_rate,
                most_pairs=_MOST_PAIRS,
            )
            if is_slow is not None:
                self._decided += 1
                word = "[red]slow[/]" if is_slow else "[green]fast[/]"
                self._search.console.print(
                    f"{word} {commit.label} {escape(commit.title)}", highlight=False
                )
                return is_slow
        self._search.console.print(
            f"unknown {commit.label} {escape(commit.title)}", highlight=False
        )
        return None

    def _measure(
        self, pairing: Pairing, load: PairedLoad, pair: int, commit: ServiceVersion
    ) -> None:
        with self._search.console.status(f"{commit.label}: pair {pair}"):
            pairing.measure(load, pair, lambda _load, _version, _pair: None)

    def _pair(self, commit: ServiceVersion) -> tuple[Pairing, PairedLoad] | None:
        """Return what measures GOOD and a commit in turn; None if the commit fails."""
        search, head = self._search, self._open(commit)
        with ConsoleDisplay(search.console) as display:
            checks = check_loads(search.bench, head, [search.load], commit.label, display)
        if not checks[search.load].outcome.has_passed:
            return None
        pairing = Pairing(search.bench, VersionPair(self._base, head), secrets.randbits(32))
        load = replace(
            pairing.make_load(search.load),
            limits={search.metric: self._find_limit()},
            must_measure=True,
        )
        return pairing, load

    def _open(self, version: ServiceVersion) -> OwnCatalogue:
        search, place = self._search, self._search.scratch / (version.commit or version.name)
        if not place.exists():
            export_version(search.repository, version, place)
        return make_catalogue(
            search.bench, place / "service", search.file, search.load_source, place / "loads"
        )

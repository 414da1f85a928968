"""The leaderboard of a scenario on a host: each framework's latest valid result, ranked.

Only results measured under the same conditions are ranked together. The results of a board share
host, harness, scenario, runtime and load. Results of other boards are listed separately, with the
differences.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.computed_once import ComputedOnce
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository
from backend.core.results.cell_result import CellResult
from backend.core.results.environment import Difference
from backend.core.results.leaderboard.entries import Entry, Weights, rank_results
from backend.core.results.leaderboard.repository import (
    BoardEntry,
    BoardResult,
    list_board_entries,
    list_calibration_runs,
    list_host_digests,
)
from backend.core.results.results import list_results, result_differences
from backend.core.units import Metric, Verdict, find_main_metric

# The digests of a host's state during a calibration. A finished calibration does not change, so its
# trials are read once in each process.
_MOST_CALIBRATIONS = 10_000
_states: ComputedOnce[UUID, set[str]] = ComputedOnce(_MOST_CALIBRATIONS)


@dataclass(frozen=True)
class LeaderboardQuery:
    """The request for a leaderboard.

    Attributes:
        metric: default: the main metric of the load.
        weights: of a composite instead of a metric; empty for none.
    """

    profile: str
    runtime: str | None
    metric: Metric | None
    weights: Weights
    board: str


class RankedInstead(StrEnum):
    """The run of the result of a framework that is ranked instead of a result of another board."""

    SAME_RUN = "same_run"
    OLDER_RUN = "older_run"


@dataclass(frozen=True)
class OtherBoardResult:
    """A framework's latest valid result on another board, and why it is not ranked here.

    `ranked_instead` is None if no result of the framework is ranked here.
    """

    result: CellResult
    board: str
    differences: Sequence[Difference]
    ranked_instead: RankedInstead | None


@dataclass(frozen=True)
class Leaderboard:
    """`excluded` lists the frameworks without a valid result on any board.

    `sentences` describe the ranking.
    """

    board: str
    metric: Metric
    sentences: Sequence[str]
    entries: list[Entry]
    apart: list[OtherBoardResult]
    excluded: list[CellResult]


@dataclass(frozen=True)
class BoardChoice:
    """A board, and how much its results can be trusted.

    Attributes:
        trusted: number of frameworks whose latest result has no warning, which includes enough
        trials, on a host that was calibrated in the same state.
        unwarned: the same on any host.
        frameworks: number of frameworks with a valid result.
        at: time of the newest result.
    """

    scenario: str
    host_id: UUID
    profile: str
    runtime: str
    board: str
    trusted: int
    unwarned: int
    frameworks: int
    at: datetime


class LeaderboardLoad(NamedTuple):
    """A way in which a scenario was measured on a host, and of how many frameworks validly."""

    profile: str
    runtime: str
    frameworks: int
    at: datetime


def list_boards(
    session: Session, scenario: str | None, host: str | None, *, viewer: Viewer
) -> list[BoardChoice]:
    """Return the boards with valid results, the board that can be trusted most first.

    The order: the number of results that can be trusted, of results without a warning, and of all
    results; then the newest.
    """
    entries = list_board_entries(session, scenario, host, viewer=viewer)
    calibrated = _list_calibrated(session, {entry.host_id for entry in entries})
    boards: dict[tuple[str, UUID, str, str, str], list[BoardEntry]] = {}
    for entry in entries:
        key = (entry.scenario, entry.host_id, entry.profile, entry.runtime, entry.board)
        boards.setdefault(key, []).append(entry)
    choices = [_count_board(key, own, calibrated) for key, own in boards.items()]
    return sorted(
        choices,
        key=lambda item: (item.trusted, item.unwarned, item.frameworks, item.at),
        reverse=True,
    )


def _list_calibrated(session: Session, host_ids: Collection[UUID]) -> set[tuple[UUID, str]]:
    """Return those hosts that were calibrated, each with the digest of its state at that time."""
    runs = list_calibration_runs(session, host_ids)
    run_ids = [run_id for _, run_id in runs]
    states = _states.read(run_ids, lambda missing: list_host_digests(session, missing))
    return {(host_id, state) for host_id, run_id in runs for state in states[run_id]}


def _count_board(
    key: tuple[str, UUID, str, str, str],
    entries: Sequence[BoardEntry],
    calibrated: Collection[tuple[UUID, str]],
) -> BoardChoice:
    unwarned = [
        entry
        for entry in entries
        if all(warning["verdict"] is Verdict.OK for warning in entry.verdicts)
    ]
    trusted = sum((entry.host_id, entry.host_digest) in calibrated for entry in unwarned)
    newest = max(entry.at for entry in entries)
    return BoardChoice(*key, trusted, len(unwarned), len(entries), newest)


def list_measured(board_results: Sequence[BoardResult]) -> list[LeaderboardLoad]:
    """Return profiles and runtimes with valid results, those with the most frameworks first.

    Args:
        board_results: of a scenario on a host, from `list_board_results`.
    """
    found: dict[tuple[str, str], list[BoardResult]] = {}
    for result in board_results:
        if not result.excluded:
            found.setdefault((result.profile, result.runtime), []).append(result)
    measured = [
        LeaderboardLoad(*key, len({item.framework for item in own}), max(item.at for item in own))
        for key, own in found.items()
    ]
    return sorted(measured, key=lambda item: (item.frameworks, item.at), reverse=True)


def read_leaderboard(
    session: Session, board_results: Sequence[BoardResult], query: LeaderboardQuery
) -> Leaderboard | None:
    """Return the leaderboard, or None if the board has no valid result.

    Args:
        board_results: of a scenario on a host, from `list_board_results`.
    """
    known = [
        result
        for result in board_results
        if result.profile == query.profile and query.runtime in (None, result.runtime)
    ]
    valid = [item for item in known if not item.excluded]
    board = query.board
    ours = {item.framework: item for item in valid if item.board == board}
    if not ours:
        return None
    elsewhere = _list_elsewhere(valid, board, ours)
    excluded = _list_excluded(known, {item.framework for item in valid})
    metric = query.metric or _usual_metric(session, [our.cell_id for our in ours.values()])
    metrics = tuple(query.weights) or (metric,)
    wanted = [item.cell_id for item in (*ours.values(), *elsewhere, *excluded)]
    results = {result.summary.cell_id: result for result in list_results(session, wanted, metrics)}
    ranked = [results[our.cell_id] for our in ours.values()]
    reference = ranked[0]
    entries, sentences = rank_results(ranked, metric, query.weights)
    return Leaderboard(
        board=board,
        metric=metric,
        sentences=sentences,
        entries=entries,
        apart=[
            OtherBoardResult(
                result=results[item.cell_id],
                board=item.board,
                differences=result_differences(reference, results[item.cell_id]),
                ranked_instead=_find_ranked_instead(
                    results[item.cell_id],
                    results[ours[item.framework].cell_id] if item.framework in ours else None,
                ),
            )
            for item in elsewhere
        ],
        excluded=[results[item.cell_id] for item in excluded],
    )


def _find_ranked_instead(result: CellResult, ranked: CellResult | None) -> RankedInstead | None:
    if ranked is None:
        return None
    is_same = ranked.summary.run_id == result.summary.run_id
    return RankedInstead.SAME_RUN if is_same else RankedInstead.OLDER_RUN


def _usual_metric(session: Session, cell_ids: Sequence[UUID]) -> Metric:
    """Return the main metric of the load of these cells, among the metrics that they have."""
    known = repository.list_metrics(session, cell_ids)
    return find_main_metric(repository.get_kind(session, cell_ids[0]), known)


def _list_elsewhere(
    valid: Sequence[BoardResult], board: str, ours: Mapping[str, BoardResult]
) -> list[BoardResult]:
    """Return each framework's latest result on another board, unless the one here is newer."""
    latest: dict[str, BoardResult] = {}
    for item in valid:
        here = ours.get(item.framework)
        if item.board == board or (here is not None and item.at < here.at):
            continue
        known = latest.get(item.framework)
        if known is None or item.at > known.at:
            latest[item.framework] = item
    return [latest[framework] for framework in sorted(latest)]


def _list_excluded(results: Sequence[BoardResult], ranked: set[str]) -> list[BoardResult]:
    latest: dict[str, BoardResult] = {}
    for result in results:
        known = latest.get(result.framework)
        if result.framework not in ranked and (known is None or result.at > known.at):
            latest[result.framework] = result
    return [latest[framework] for framework in sorted(latest)]

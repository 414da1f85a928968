"""The leaderboard of a scenario on a host: each framework's latest valid result, in tie groups.

Only what was measured alike is ranked together: results of one board share host, harness, scenario,
runtime and load. What lies on other boards is told apart, with the difference named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.leaderboard.entries import Entry, Weights, rank_results
from backend.core.leaderboard.repository import BoardResult
from backend.core.results import repository
from backend.core.results.environment import Difference
from backend.core.results.results import Result, list_results, result_differences
from backend.core.units import Metric, find_main_metric


@dataclass(frozen=True)
class Question:
    """What a leaderboard is asked for.

    `metric` None takes the one that the board's load is for; `weights` asks for a composite
    instead. `board` names one of several boards; None takes the one with most frameworks, of equals
    the newest.
    """

    profile: str
    runtime: str | None
    metric: Metric | None
    weights: Weights
    board: str | None


@dataclass(frozen=True)
class Apart:
    """A framework's latest valid result on another board, and why it is not ranked here."""

    result: Result
    board: str
    differences: Sequence[Difference]
    is_ranked_here: bool


@dataclass(frozen=True)
class Leaderboard:
    """`excluded` lists the frameworks without a valid result on any board."""

    board: str
    metric: Metric
    entries: list[Entry]
    apart: list[Apart]
    excluded: list[Result]


class LeaderboardLoad(NamedTuple):
    """A way in which a scenario was measured on a host, and of how many frameworks validly."""

    profile: str
    runtime: str
    frameworks: int
    at: datetime


def list_measured(board_results: Sequence[BoardResult]) -> list[LeaderboardLoad]:
    """Profiles and runtimes with valid results, those of most frameworks first.

    Args:
        board_results: of a scenario on a host, from `list_board_results`.
    """
    found: dict[tuple[str, str], list[BoardResult]] = {}
    for one in board_results:
        if not one.excluded:
            found.setdefault((one.profile, one.runtime), []).append(one)
    measured = [
        LeaderboardLoad(*key, len({one.framework for one in own}), max(one.at for one in own))
        for key, own in found.items()
    ]
    return sorted(measured, key=lambda one: (one.frameworks, one.at), reverse=True)


def read_leaderboard(
    session: Session, board_results: Sequence[BoardResult], asked: Question
) -> Leaderboard | None:
    """None where no valid result exists, or none on the board asked for.

    Args:
        board_results: of a scenario on a host, from `list_board_results`.
    """
    known = [
        one
        for one in board_results
        if one.profile == asked.profile and asked.runtime in (None, one.runtime)
    ]
    valid = [one for one in known if not one.excluded]
    board = asked.board or _choose_board(valid)
    ours = {one.framework: one for one in valid if one.board == board}
    if board is None or not ours:
        return None
    elsewhere = _list_elsewhere(valid, board, ours)
    excluded = _list_excluded(known, {one.framework for one in valid})
    metric = asked.metric or _usual_metric(session, [one.cell_id for one in ours.values()])
    metrics = tuple(asked.weights) or (metric,)
    wanted = [one.cell_id for one in (*ours.values(), *elsewhere, *excluded)]
    results = {one.cell.cell_id: one for one in list_results(session, wanted, metrics)}
    ranked = [results[one.cell_id] for one in ours.values()]
    reference = ranked[0]
    return Leaderboard(
        board=board,
        metric=metric,
        entries=rank_results(ranked, metric, asked.weights),
        apart=[
            Apart(
                result=results[one.cell_id],
                board=one.board,
                differences=result_differences(reference, results[one.cell_id]),
                is_ranked_here=one.framework in ours,
            )
            for one in elsewhere
        ],
        excluded=[results[one.cell_id] for one in excluded],
    )


def _usual_metric(session: Session, cell_ids: Sequence[UUID]) -> Metric:
    """What the load of these cells is for, of the metrics that any of them has."""
    known = repository.list_metrics(session, cell_ids)
    return find_main_metric(repository.get_kind(session, cell_ids[0]), known)


def _choose_board(valid: Sequence[BoardResult]) -> str | None:
    boards: dict[str, list[BoardResult]] = {}
    for one in valid:
        boards.setdefault(one.board, []).append(one)
    if not boards:
        return None
    return max(boards, key=lambda name: (len(boards[name]), max(one.at for one in boards[name])))


def _list_elsewhere(
    valid: Sequence[BoardResult], board: str, ours: Mapping[str, BoardResult]
) -> list[BoardResult]:
    """Of each framework the latest result on another board, unless an older one than here."""
    latest: dict[str, BoardResult] = {}
    for one in valid:
        here = ours.get(one.framework)
        if one.board == board or (here is not None and one.at < here.at):
            continue
        known = latest.get(one.framework)
        if known is None or one.at > known.at:
            latest[one.framework] = one
    return [latest[framework] for framework in sorted(latest)]


def _list_excluded(results: Sequence[BoardResult], ranked: set[str]) -> list[BoardResult]:
    latest: dict[str, BoardResult] = {}
    for one in results:
        known = latest.get(one.framework)
        if one.framework not in ranked and (known is None or one.at > known.at):
            latest[one.framework] = one
    return [latest[framework] for framework in sorted(latest)]

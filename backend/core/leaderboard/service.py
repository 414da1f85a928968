"""The leaderboard of a scenario on a host: each framework's latest valid result, in tie groups.

Only what was measured alike is ranked together: results of one board share host, harness, scenario,
runtime and load. What lies on other boards is told apart, with the difference named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from math import exp, log
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.leaderboard.repository import BoardResult
from backend.core.ranking.candidate_ranking import headline_metric
from backend.core.ranking.pairs import Ratio, compare_values
from backend.core.ranking.tie_groups import Rank, rank_in_tie_groups
from backend.core.results import repository
from backend.core.results.environment import Difference
from backend.core.results.results import Result, Values, list_results, result_differences
from backend.core.statistics.estimate import Estimate, estimate
from backend.core.units import METRICS, Aggregation, Direction, Metric

Weights = Mapping[Metric, float]


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
class Entry:
    """A framework on the board. Without `estimate` it has no number of this kind and no rank. An
    estimate from one trial gives no rank.

    `to_best` is its ratio to the best that has a rank; `coverage` the share of the weights for
    which it has numbers, `missing` the metrics it lacks, or has not from any one trial.
    """

    result: Result
    estimate: Estimate | None
    rank: int | None
    ties: tuple[str, ...]
    to_best: Ratio | None
    coverage: float
    missing: tuple[Metric, ...]


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
    return headline_metric(repository.get_kind(session, cell_ids[0]), known)


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


def rank_results(results: Sequence[Result], metric: Metric, weights: Weights) -> list[Entry]:
    """Results of one board by a metric, or by the composite of weighted ones, best first."""
    direction = Direction.LOWER if weights else METRICS[metric].direction
    asked = weights or {metric: 1.0}
    complete: list[tuple[Result, Values]] = []
    lacking: list[Entry] = []
    for result in results:
        missing = tuple(one for one in asked if not _is_usable(result, one, bool(weights)))
        if missing:
            lost = sum(asked[one] for one in missing)
            share = 1 - lost / sum(asked.values())
            lacking.append(Entry(result, None, None, (), None, share, missing))
            continue
        values = combine(result, weights) if weights else result.values[metric]
        if values:
            complete.append((result, values))
        else:
            lacking.append(Entry(result, None, None, (), None, 0.0, tuple(asked)))
    return _rank(complete, metric, direction, is_composite=bool(weights)) + lacking


def _is_usable(result: Result, metric: Metric, needs_log: bool) -> bool:
    values = result.values.get(metric, {}).values()
    return bool(values) and (not needs_log or min(values) > 0)


def combine(result: Result, weights: Weights) -> dict[int, float]:
    """Repetition to composite, lower is better: the weighted geometric mean of a trial's metrics.

    Those where higher is better count inversely. Only ratios of composites mean something. Being a
    number of each trial, it has intervals and tests like any metric, and what the metrics share by
    coming from one trial is accounted for.
    """
    total = sum(weights.values())
    complete = set.intersection(*(set(result.values[metric]) for metric in weights))
    return {
        repetition: exp(
            sum(
                weight
                / total
                * log(result.values[metric][repetition])
                * (1 if METRICS[metric].direction is Direction.LOWER else -1)
                for metric, weight in weights.items()
            )
        )
        for repetition in sorted(complete)
    }


def _rank(
    complete: Sequence[tuple[Result, Values]],
    metric: Metric,
    direction: Direction,
    *,
    is_composite: bool,
) -> list[Entry]:
    """Return the entries by rank. Results with an interval get one, if each pair of them has a
    ratio, which values that are not positive lack. A result of one trial comes after them.
    """
    if not complete:
        return []
    aggregation = Aggregation.GEOMETRIC if is_composite else METRICS[metric].aggregation
    estimates = [estimate([*values.values()], aggregation) for _, values in complete]
    sign = -1 if direction is Direction.HIGHER else 1

    def sort_key(one: int) -> tuple[bool, float]:
        return estimates[one].low is None, sign * estimates[one].estimate

    order = sorted(range(len(complete)), key=sort_key)
    with_interval = [one for one in order if estimates[one].low is not None]
    ratios = {
        (first, second): _compare(
            complete[with_interval[first]], complete[with_interval[second]], direction
        )
        for first, second in combinations(range(len(with_interval)), 2)
    }
    compared = {pair: ratio.comparison for pair, ratio in ratios.items() if ratio is not None}
    ranks: list[Rank] = []
    if len(compared) == len(ratios):
        ranks = rank_in_tie_groups(len(with_interval), compared, direction)
    slugs = [complete[one][0].framework.slug for one in order]
    best = complete[order[0]]
    entries = []
    for position, one in enumerate(order):
        rank = ranks[position] if position < len(ranks) else None
        entries.append(
            Entry(
                result=complete[one][0],
                estimate=estimates[one],
                rank=rank.rank if rank else None,
                ties=tuple(slugs[other] for other in rank.ties) if rank else (),
                to_best=_compare(complete[one], best, direction) if position else None,
                coverage=1.0,
                missing=(),
            )
        )
    return sorted(entries, key=lambda entry: entry.rank or len(entries) + 1)


def _compare(
    first: tuple[Result, Values], second: tuple[Result, Values], direction: Direction
) -> Ratio | None:
    interleaved = first[0].cell.run_id == second[0].cell.run_id
    return compare_values(first[1], second[1], direction, interleaved=interleaved)

"""Leaderboards as the API shows them."""

from backend.api.comparisons.schemas import DifferenceOut, ResultItem
from backend.api.comparisons.views import ratio_out, result_fields
from backend.api.leaderboard.schemas import ApartOut, EntryOut
from backend.api.runs.schemas import MetricSummary
from backend.core.comparison.leaderboard import Apart, Entry
from backend.core.comparison.results import Result
from backend.core.comparison.stats import Estimate
from backend.core.units import METRICS, Direction, Metric


def result_item(result: Result) -> ResultItem:
    return ResultItem.model_validate(result_fields(result))


def entry_out(entry: Entry, metric: Metric, *, is_composite: bool) -> EntryOut:
    """A framework of the board, with its number."""
    return EntryOut(
        result=result_item(entry.result),
        estimate=_estimate(entry.estimate, metric, is_composite) if entry.estimate else None,
        place=entry.place,
        ties=list(entry.ties),
        to_best=ratio_out(entry.to_best, True) if entry.to_best else None,
        coverage=entry.coverage,
        missing=list(entry.missing),
    )


def _estimate(found: Estimate, metric: Metric, is_composite: bool) -> MetricSummary:
    info = METRICS[metric]
    return MetricSummary(
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        n=found.n,
        unit="" if is_composite else info.unit,
        direction=Direction.LOWER if is_composite else info.direction,
    )


def apart_out(apart: Apart) -> ApartOut:
    """A result of another board."""
    return ApartOut(
        result=result_item(apart.result),
        board=apart.board,
        differences=[
            DifferenceOut(subject=one.subject, baseline=one.one, other=one.other)
            for one in apart.differences
        ],
        is_ranked_here=apart.is_ranked_here,
    )

"""Leaderboards as the API shows them."""

from collections.abc import Sequence

from backend.api.results.comparisons.schemas import ResultItem
from backend.api.results.comparisons.views import ratio_out, result_out
from backend.api.results.leaderboard.schemas import ApartOut, EntryOut
from backend.api.schemas import MetricSummary
from backend.api.views import metric_summary
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.results.leaderboard.entries import Entry
from backend.core.results.leaderboard.service import OtherBoardResult
from backend.core.results.ranking.metric_words import COMPOSITE_WORDS, find_words
from backend.core.units import Direction, Metric


def entries_out(entries: Sequence[Entry], metric: Metric, *, is_composite: bool) -> list[EntryOut]:
    """Return the frameworks of a board with their values and ranks."""
    words = COMPOSITE_WORDS if is_composite else find_words(metric)
    return [
        EntryOut.of(
            entry,
            result=result_out(ResultItem, entry.result),
            estimate=_estimate(entry.estimate, metric, is_composite) if entry.estimate else None,
            to_best=ratio_out(entry.to_best, words) if entry.to_best else None,
        )
        for entry in entries
    ]


def _estimate(found: Estimate, metric: Metric, is_composite: bool) -> MetricSummary:
    if is_composite:
        return MetricSummary.of(found, unit="", direction=Direction.LOWER)
    return metric_summary(metric, found)


def apart_out(apart: OtherBoardResult) -> ApartOut:
    """A result of another board."""
    return ApartOut.of(apart, result=result_out(ResultItem, apart.result))

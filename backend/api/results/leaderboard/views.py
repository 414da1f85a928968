"""Leaderboards as the API shows them."""

from collections.abc import Mapping, Sequence

from backend.api.results.comparisons.schemas import DifferenceOut, ResultItem
from backend.api.results.comparisons.views import ratio_out, result_fields
from backend.api.results.leaderboard.schemas import ApartOut, EntryOut
from backend.api.schemas import MetricSummary
from backend.api.views import colours_of
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.results.cell_result import CellResult
from backend.core.results.leaderboard.entries import Entry
from backend.core.results.leaderboard.service import Leaderboard, OtherBoardResult
from backend.core.units import METRICS, Direction, Metric


def board_colours(board: Leaderboard) -> Mapping[int, int]:
    """Return the colours of all frameworks on the page of a board, by their stored colours."""
    entries = [entry.result for entry in board.entries]
    apart = [item.result for item in board.apart]
    return colours_of(result.framework for result in (*entries, *apart, *board.excluded))


def result_item(result: CellResult, colours: Mapping[int, int]) -> ResultItem:
    return ResultItem.model_validate(result_fields(result, colours))


def entries_out(
    entries: Sequence[Entry], metric: Metric, colours: Mapping[int, int], *, is_composite: bool
) -> list[EntryOut]:
    """Return the frameworks of a board with their values and ranks."""
    return [
        EntryOut(
            result=result_item(entry.result, colours),
            estimate=_estimate(entry.estimate, metric, is_composite) if entry.estimate else None,
            rank=entry.rank,
            equivalent=list(entry.equivalent),
            undecided=list(entry.undecided),
            to_best=ratio_out(entry.to_best) if entry.to_best else None,
            coverage=entry.coverage,
            missing=list(entry.missing),
        )
        for entry in entries
    ]


def _estimate(found: Estimate, metric: Metric, is_composite: bool) -> MetricSummary:
    info = METRICS[metric]
    return MetricSummary(
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        values=list(found.values),
        n=found.n,
        unit="" if is_composite else info.unit,
        direction=Direction.LOWER if is_composite else info.direction,
        is_bound=found.is_bound,
    )


def apart_out(apart: OtherBoardResult, colours: Mapping[int, int]) -> ApartOut:
    """A result of another board."""
    return ApartOut(
        result=result_item(apart.result, colours),
        board=apart.board,
        differences=[
            DifferenceOut(
                subject=difference.subject, baseline=difference.one, other=difference.other
            )
            for difference in apart.differences
        ],
        ranked_instead=apart.ranked_instead,
    )

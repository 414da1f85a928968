"""Change points of a whole history, matched with the stored changes; pure."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

from backend.core.changes.detection import ChangePoint, Observation, Sensitivity, find_changes
from backend.core.changes.history.repository import PointRow
from backend.core.changes.history.service import Series
from backend.core.changes.lifecycle import OPEN
from backend.core.changes.sameness import find_same
from backend.core.changes.self_test import SelfTest, try_detector
from backend.core.models import Change
from backend.core.statuses import ChangeStatus

# A history shows changes with other statuses only if the detector finds them there.
_LISTED = OPEN | {ChangeStatus.CONFIRMED}


@dataclass(frozen=True)
class SeenChange:
    """A change point. Its index counts all points of the series, including excluded ones.

    `known` is the stored change at the same place in the same direction. A stored change that the
    detector does not find in the history at this sensitivity has the stored change point.
    """

    point: ChangePoint
    known: Change | None


def find_all_changes(series: Series, sensitivity: Sensitivity) -> list[ChangePoint]:
    """Return every change point of a series, however old, among the points that count."""
    counted = _list_counted(series)
    found = find_changes(
        [_observe(series.points[index]) for index in counted], sensitivity, last=len(counted)
    )
    return [
        ChangePoint(counted[point.index], point.ratio, point.low, point.high, point.p_value)
        for point in found
    ]


def self_test_series(series: Series, sensitivity: Sensitivity) -> SelfTest | None:
    """Return what the detector would find in this series, and how often it would be wrong."""
    counted = _list_counted(series)
    return try_detector([_observe(series.points[index]) for index in counted], sensitivity)


def match_known_changes(
    series: Series, found: Sequence[ChangePoint], changes: Sequence[Change]
) -> list[SeenChange]:
    """Return the change points with their stored changes, and other stored changes of the series.

    Args:
        changes: the changes of the series, oldest first, with any digests.
    """
    if not changes:
        return [SeenChange(point, None) for point in found]
    counted = _list_counted(series)
    points = [_observe(series.points[index]) for index in counted]
    places = {index: place for place, index in enumerate(counted)}
    placed = [replace(point, index=places[point.index]) for point in found]
    times = [series.points[index].at for index in counted]
    known = [(bisect_left(times, change.at), change.ratio) for change in changes]
    same = [find_same(points, placed, which, known) for which in range(len(placed))]
    seen = [
        SeenChange(point, None if at is None else changes[at])
        for point, at in zip(found, same, strict=True)
    ]
    cells = {series.points[index].cell_id for index in counted}
    seen += [
        SeenChange(_recall(change, counted[place]), change)
        for at, (change, (place, _)) in enumerate(zip(changes, known, strict=True))
        if at not in same
        and change.status in _LISTED
        and {change.before_cell_id, change.after_cell_id} <= cells
    ]
    return sorted(seen, key=lambda change: change.point.index)


def _recall(change: Change, index: int) -> ChangePoint:
    return ChangePoint(
        index, change.ratio, change.low, change.high, change.p_value, change.is_adjusted
    )


def _list_counted(series: Series) -> list[int]:
    return [
        index
        for index, point in enumerate(series.points)
        if point.mean_log is not None and not point.excluded
    ]


def _observe(point: PointRow) -> Observation:
    assert point.mean_log is not None
    half_width = None if point.high is None else log(point.high) - point.mean_log
    return Observation(point.mean_log, half_width, point.n)

"""Change points of a whole history, matched with the stored changes; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log

from pydantic import Field

from backend.core.bodies import Schema
from backend.core.changes.detection import (
    DEFAULT,
    LAST_POINTS,
    MIN_POINTS,
    MIN_SEGMENT_POINTS,
    ChangePoint,
    Observation,
    Sensitivity,
    find_changes,
)
from backend.core.changes.history.repository import PointRow
from backend.core.changes.history.service import Series
from backend.core.changes.lifecycle import OPEN
from backend.core.changes.sameness import find_same
from backend.core.models import Change
from backend.core.numeric import np
from backend.core.statuses import ChangeStatus

INJECTED_RATIO = 1.05
# A step needs points on either side.
MIN_SELF_TEST_POINTS = MIN_POINTS + 2 * MIN_SEGMENT_POINTS
_MOST_INJECTIONS = 30
_SHUFFLES = 40
# Neighbouring points are correlated: a shuffle moves blocks of this length.
_BLOCK_POINTS = 5
_NEAR_POINTS = 5


class DetectorTest(Schema):
    """Results of the detector on a series with inserted steps and on pure noise."""

    ratio: float = Field(examples=[1.05])
    # Inserted steps, one at a time, at evenly spaced points; found within five points of these.
    injections: int
    found: int
    # Series of the same noise without any change; those in which a change was found.
    shuffles: int
    alarms: int


def try_detector(
    points: Sequence[Observation], sensitivity: Sensitivity = DEFAULT
) -> DetectorTest | None:
    """Inject steps of +5 % into a series, and shuffle its noise; None with too few points.

    First, the level of each segment between change points is subtracted. Steps are injected into
    the residuals in their recorded order. For false alarms, the residuals are resampled in blocks
    of five (moving-block bootstrap, H. R. Künsch, 1989).
    """
    recent = list(points[-LAST_POINTS:])
    if len(recent) < MIN_SELF_TEST_POINTS:
        return None
    level = _take_levels_out(recent, sensitivity)
    first, last = MIN_POINTS // 2, len(level) - 2 * MIN_SEGMENT_POINTS
    steps = np.unique(np.linspace(first, last, _MOST_INJECTIONS).round().astype(int)).tolist()
    random = np.random.default_rng(len(level))
    return DetectorTest(
        ratio=INJECTED_RATIO,
        injections=len(steps),
        found=sum(_is_found(level, step, sensitivity) for step in steps),
        shuffles=_SHUFFLES,
        alarms=sum(
            bool(find_changes(_shuffle(level, random), sensitivity)) for _ in range(_SHUFFLES)
        ),
    )


def _take_levels_out(points: Sequence[Observation], sensitivity: Sensitivity) -> list[Observation]:
    logs = np.array([point.mean_log for point in points])
    borders = [0, *(change.index for change in find_changes(points, sensitivity)), len(points)]
    for begin, end in pairwise(borders):
        # The median, so that spikes remain as noise.
        logs[begin:end] -= np.median(logs[begin:end])
    return [
        point._replace(mean_log=float(value)) for point, value in zip(points, logs, strict=True)
    ]


def _is_found(level: Sequence[Observation], step: int, sensitivity: Sensitivity) -> bool:
    raised = [
        point._replace(mean_log=point.mean_log + log(INJECTED_RATIO)) for point in level[step:]
    ]
    return any(
        change.ratio > 1 and abs(change.index - step) <= _NEAR_POINTS
        for change in find_changes([*level[:step], *raised], sensitivity)
    )


def _shuffle(level: Sequence[Observation], random: np.random.Generator) -> list[Observation]:
    count = -(-len(level) // _BLOCK_POINTS)
    begins = random.integers(0, len(level) - _BLOCK_POINTS + 1, count)
    drawn = [point for begin in begins for point in level[begin : begin + _BLOCK_POINTS]]
    return drawn[: len(level)]


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


def self_test_series(series: Series, sensitivity: Sensitivity) -> DetectorTest | None:
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

"""Possible places of a change point, and whether it is a known change, as pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from backend.core.changes.detection import MIN_SEGMENT_POINTS, ChangePoint, Observation
from backend.core.changes.spikes import draw_in
from backend.core.numeric import Floats, np

# The detected start of a change may move by a point or two with later points.
_REACH_POINTS = MIN_SEGMENT_POINTS - 1
# Critical value of the likelihood ratio of two places of a change, at 1 %
# (B. E. Hansen, 2000, "Sample Splitting and Threshold Estimation", Econometrica 68, table I).
_MOST_LIKELIHOOD_RATIO = 10.59


def find_same(
    points: Sequence[Observation],
    changes: Sequence[ChangePoint],
    which: int,
    known: Sequence[tuple[int, float]],
) -> int | None:
    """Return the nearest known change in the same direction whose place fits the points as well.

    The detected place of a small step in noise may differ by ten points between runs; a dismissal
    must apply to all of these places.

    Args:
        points: the points of the series.
        changes: the change points found in them, oldest first.
        which: index of the change point in question.
        known: number of points before each known change, and its ratio.

    Returns:
        An index of `known`; None if the change is new.
    """
    if not known:
        return None
    found = changes[which]
    places = set(list_places(points, changes, which))
    alike = [
        (abs(place - found.index), index)
        for index, (place, ratio) in enumerate(known)
        if (ratio > 1) == (found.ratio > 1) and place in places
    ]
    return min(alike)[1] if alike else None


def list_places(
    points: Sequence[Observation], changes: Sequence[ChangePoint], which: int
) -> list[int]:
    """Return the indices at which the new level of a change may begin, including the detected one.

    Args:
        points, changes, which: as in find_same.
    """
    here = changes[which].index
    begin = changes[which - 1].index if which > 0 else 0
    end = changes[which + 1].index if which + 1 < len(changes) else len(points)
    logs = draw_in(np.array([point.mean_log for point in points]))[begin:end]
    left_over = _unexplained(logs)
    likelihood_ratios = len(logs) * np.log(left_over / left_over[here - begin - 1])
    return [
        place
        for place, ratio in enumerate(likelihood_ratios, start=begin + 1)
        if abs(place - here) <= _REACH_POINTS or ratio <= _MOST_LIKELIHOOD_RATIO
    ]


def _unexplained(logs: Floats) -> Floats:
    """Return the residual sum of squares of two levels that meet before point 1, 2, …"""
    centred = logs - logs.mean()
    counts = np.arange(1, len(logs))
    sums, squares = np.cumsum(centred), np.cumsum(centred**2)
    before = squares[:-1] - sums[:-1] ** 2 / counts
    after = squares[-1] - squares[:-1] - (sums[-1] - sums[:-1]) ** 2 / (len(logs) - counts)
    # With equal values, any other place is worse.
    return np.asarray(np.maximum(before + after, 1e-24))

"""Where else a change point may be, and whether it is one that is known: pure functions."""

from collections.abc import Sequence
from math import log

import numpy as np

from backend.core.changes.detection import MIN_SEGMENT_POINTS, ChangePoint, Observation
from backend.core.changes.spikes import Floats, draw_in

# Where a change begins moves by a point or two as later points come.
_REACH_POINTS = MIN_SEGMENT_POINTS - 1
# Of the likelihood ratio of two places of one change; beyond it one in a hundred lies by chance
# (B. E. Hansen, 2000, "Sample Splitting and Threshold Estimation", Econometrica 68, table I).
_MOST_LIKELIHOOD_RATIO = 10.59


def find_same(
    points: Sequence[Observation],
    changes: Sequence[ChangePoint],
    which: int,
    known: Sequence[tuple[int, float]],
) -> int | None:
    """Which known change it is: the nearest of the same direction of which the points cannot tell
    whether it began there or here.

    A small step among noise is found now here, now ten points off; a dismissal has to hold for it
    wherever it is found.

    Args:
        points: of the series.
        changes: what was found in them, oldest first; `which` of these is asked about.
        known: of each known change how many of the points lie before it, and its ratio.

    Returns:
        An index of `known`; None when it is a new one.
    """
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
    """Where a change point that was found may be in truth: the indices of points with which the new
    level may begin, by what the points tell; its own among them.

    Args:
        as find_same.
    """
    here = changes[which].index
    begin = changes[which - 1].index if which > 0 else 0
    end = changes[which + 1].index if which + 1 < len(changes) else len(points)
    logs = draw_in(np.array([point.mean_log for point in points]))[begin:end]
    best = _unexplained(logs, here - begin)
    return [
        place
        for place in range(begin + 1, end)
        if abs(place - here) <= _REACH_POINTS
        or len(logs) * log(_unexplained(logs, place - begin) / best) <= _MOST_LIKELIHOOD_RATIO
    ]


def _unexplained(logs: Floats, split: int) -> float:
    """The sum of squares that two levels, which meet there, leave over."""
    before, after = logs[:split], logs[split:]
    left = float(((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum())
    # Equal values: any other place is certainly worse.
    return max(left, 1e-24)

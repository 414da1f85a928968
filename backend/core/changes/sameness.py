"""Where else a change point may be, and whether it is one that is known: pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from backend.core.changes.detection import MIN_SEGMENT_POINTS, ChangePoint, Observation
from backend.core.changes.spikes import draw_in
from backend.core.numeric import Floats, np

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
    """Where a change point that was found may be in truth: the indices of points with which the new
    level may begin, by what the points tell; its own among them.

    Args:
        as find_same.
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
    """The sum of squares that two levels leave over, by where they meet: before point 1, 2, ..."""
    centred = logs - logs.mean()
    counts = np.arange(1, len(logs))
    sums, squares = np.cumsum(centred), np.cumsum(centred**2)
    before = squares[:-1] - sums[:-1] ** 2 / counts
    after = squares[-1] - squares[:-1] - (sums[-1] - sums[:-1]) ** 2 / (len(logs) - counts)
    # Equal values: any other place is certainly worse.
    return np.asarray(np.maximum(before + after, 1e-24))

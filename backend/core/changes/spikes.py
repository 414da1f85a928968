"""Reduce spikes, single points far from both sides, as a pure function."""

from __future__ import annotations

from math import sqrt

from backend.core.numeric import Floats, np

# Number of points on either side whose median is the expected value of a point.
_SIDE_POINTS = 5
# Minimum of such points; at either end, this many outermost points are used.
_MIN_SIDE_POINTS = 2
_OUTERMOST_POINTS = 3
# A point that is this many deviations beyond both medians is a spike; it is moved to one deviation.
_FAR = 4.0
_NEAR = 1.0
# From the median of |N(0, 1)| to its standard deviation (P. J. Rousseeuw & C. Croux, 1993).
_MAD_SCALE = 1.4826


def draw_in(logs: Floats) -> Floats:
    """Return the series with each value beyond four deviations of its surroundings moved to one.

    The surroundings are the medians of the five points before and the five points after. A step
    lies between them and stays; a spike lies outside of both. Since it has no information about the
    level, it is not cut at the limit (winsorised) but moved closer, as by redescending estimators
    (F. R. Hampel, 1974, "The Influence Curve and its Role in Robust Estimation", JASA 69). The
    deviation is that of successive differences, which a level shift hardly affects.

    Args:
        logs: at least four values.
    """
    before, after = _medians_around(logs)
    low, high = np.minimum(before, after), np.maximum(before, after)
    deviation = _MAD_SCALE * float(np.median(np.abs(np.diff(logs)))) / sqrt(2)
    drawn = np.where(logs > high + _FAR * deviation, high + _NEAR * deviation, logs)
    return np.where(logs < low - _FAR * deviation, low - _NEAR * deviation, drawn)


def _medians_around(logs: Floats) -> tuple[Floats, Floats]:
    """Return the medians of the points before each point, and of those after it."""
    return _medians_before(logs), _medians_before(logs[::-1])[::-1]


def _medians_before(logs: Floats) -> Floats:
    medians = np.full(len(logs), np.median(logs[:_OUTERMOST_POINTS]))
    for index in range(_MIN_SIDE_POINTS, min(_SIDE_POINTS, len(logs))):
        medians[index] = np.median(logs[:index])
    if len(logs) > _SIDE_POINTS:
        windows = np.lib.stride_tricks.sliding_window_view(logs[:-1], _SIDE_POINTS)
        medians[_SIDE_POINTS:] = np.median(windows, axis=1)
    return medians

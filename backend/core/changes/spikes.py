"""Spikes: single points far from both sides, which say nothing of a level; drawn in, as a pure
function."""

from __future__ import annotations

from math import sqrt

from backend.core.numeric import Floats, np

# Whose median says where a point ought to lie, on either side of it.
_SIDE_POINTS = 5
# At either end, where no two points lie beyond, so many outermost ones say it.
_MIN_SIDE_POINTS = 2
_OUTERMOST_POINTS = 3
# In deviations beyond both medians: what lies further out is a spike, and where it is put.
_FAR = 4.0
_NEAR = 1.0
# From the median of |N(0, 1)| to its standard deviation (P. J. Rousseeuw & C. Croux, 1993).
_MAD_SCALE = 1.4826


def draw_in(logs: Floats) -> Floats:
    """The series with every value that lies four deviations beyond what is around it put at one.

    The medians of the five points before and of the five after say what is around. A step lies
    between them and is left as it is; a spike lies outside of both. It says nothing of the level:
    it is not cut at the limit (winsorised) but brought back, as by estimators that redescend
    (F. R. Hampel, 1974, "The Influence Curve and its Role in Robust Estimation", JASA 69). The
    deviation is that of successive differences, which a level shift hardly touches.

    Args:
        logs: four values or more.
    """
    before, after = _medians_around(logs)
    low, high = np.minimum(before, after), np.maximum(before, after)
    deviation = _MAD_SCALE * float(np.median(np.abs(np.diff(logs)))) / sqrt(2)
    drawn = np.where(logs > high + _FAR * deviation, high + _NEAR * deviation, logs)
    return np.where(logs < low - _FAR * deviation, low - _NEAR * deviation, drawn)


def _medians_around(logs: Floats) -> tuple[Floats, Floats]:
    """Of the points before each, and of those after it."""
    return _medians_before(logs), _medians_before(logs[::-1])[::-1]


def _medians_before(logs: Floats) -> Floats:
    medians = np.full(len(logs), np.median(logs[:_OUTERMOST_POINTS]))
    padded = np.concatenate([np.full(_SIDE_POINTS, np.nan), logs])
    windows = np.lib.stride_tricks.sliding_window_view(padded, _SIDE_POINTS)
    medians[_MIN_SIDE_POINTS:] = np.nanmedian(windows[_MIN_SIDE_POINTS : len(logs)], axis=1)
    return medians

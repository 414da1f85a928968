"""Decide after each block of trials whether a result is known precisely enough; pure.

To stop when an interval is narrow favours blocks that vary little by chance, so a range of 95 %
would be too narrow (N. Starr, 1966, "The Performance of a Sequential Procedure for the Fixed-Width
Interval Estimation of the Mean", Annals of Mathematical Statistics 37). With intervals of 97.5 %
the true value of a result lies within the wanted range in at least 95 % of runs, for any variance.
The variances seen so far are independent of the mean of normal values, so this probability is
computed from a random walk of chi-squared steps, which a test does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log, log1p, sqrt
from statistics import fmean

from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.measurement.statistics.estimate import deviation
from backend.core.numeric import special
from backend.core.units import Aggregation

_INTERVAL_CONFIDENCE = 0.975


@dataclass(frozen=True)
class ResultPrecision:
    """The centre of a result and its interval, which is None with fewer than two blocks.

    Attributes:
        half_width_percent: half the width of the interval relative to the centre, upwards.
        blocks_needed: estimated number of further blocks until it is precise enough.
    """

    centre: float
    low: float | None
    high: float | None
    half_width_percent: float | None
    is_reached: bool
    blocks_needed: int | None


def measure_precision(
    values: Sequence[float], aggregation: Aggregation, percent: float
) -> ResultPrecision:
    """Return a result's interval, and whether it lies within `percent` of the centre.

    Args:
        values: one per block, at least one.
    """
    is_log = aggregation is Aggregation.GEOMETRIC and min(values) > 0
    scaled = [log(value) for value in values] if is_log else list(values)
    centre, n = fmean(scaled), len(scaled)
    if n < 2:
        return ResultPrecision(values[0], None, None, None, False, None)
    spread = deviation(scaled)
    half = _precision_quantile(n) * spread / sqrt(n)
    limit = log1p(percent / 100) if is_log else abs(centre) * percent / 100
    is_reached = n >= FIRST_LOOK and half <= limit
    needed = 0 if is_reached else _estimate_total(spread, limit, n)
    further = None if needed is None else max(needed - n, 0 if is_reached else 1)
    if is_log:
        low, middle, high = exp(centre - half), exp(centre), exp(centre + half)
        return ResultPrecision(middle, low, high, 100 * (exp(half) - 1), is_reached, further)
    width = 100 * half / abs(centre) if centre else None
    return ResultPrecision(centre, centre - half, centre + half, width, is_reached, further)


def _estimate_total(spread: float, limit: float, n: int) -> int | None:
    """Return the number of blocks at which an interval of this spread is narrow enough."""
    if limit <= 0:
        return None
    total = n
    # Each pass uses the quantile for the number of the pass before, which converges quickly.
    for _ in range(10):
        total = max(FIRST_LOOK, ceil((_precision_quantile(total) * spread / limit) ** 2))
    return total


def _precision_quantile(n: int) -> float:
    return float(special.stdtrit(n - 1, 0.5 + _INTERVAL_CONFIDENCE / 2))

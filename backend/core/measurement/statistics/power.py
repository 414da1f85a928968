"""The power of a comparison; pure.

Source: J. Cohen (1988), "Statistical power analysis", by the noncentral t.
"""

from __future__ import annotations

from functools import lru_cache
from math import log

from backend.core.measurement.statistics.estimate import t_quantile
from backend.core.numeric import Floats, np, special

_POWER_POINTS = 500


def find_power(ratio: float, standard_error: float, freedom: float, bias: float = 0.0) -> float:
    """Return the probability that a two-sided t-test at 5 % finds a true ratio.

    Args:
        standard_error: of the difference of logs.
        freedom: the test's degrees of freedom.
        bias: the difference of logs that the test allows for, 0 or more.
    """
    difference = abs(log(ratio))
    if standard_error <= 0:
        return 1.0 if difference > bias or not bias else 0.0
    # Rounded to a tenth: Welch's freedom is an approximation, and the limits are slow to compute.
    limits = _power_limits(round(freedom, 1))
    upper, lower = (difference - bias) / standard_error, (-difference - bias) / standard_error
    return float(np.mean(special.ndtr(upper - limits) + special.ndtr(lower - limits)))


@lru_cache(maxsize=1024)
def _power_limits(freedom: float) -> Floats:
    """Return the thresholds that a shift must exceed, over the possible deviations of trials.

    The tails of the noncentral t are integrated over the observed deviation (quantiles of χ),
    because scipy's nctdtr is NaN for large shifts.
    """
    points = (np.arange(_POWER_POINTS) + 0.5) / _POWER_POINTS
    limits: Floats = t_quantile(freedom) * np.sqrt(
        2 * special.gammaincinv(freedom / 2, points) / freedom
    )
    return limits

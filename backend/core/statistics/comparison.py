"""Comparisons of two results: their ratio with its confidence interval, as pure functions.

Sources: Student (1908) for pairs. B. L. Welch (1947), "The generalization of 'Student's' problem
when several different population variances are involved", Biometrika 34, for independent trials.
J. Cohen (1988), "Statistical power analysis", for power, by the noncentral t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import exp, log, sqrt
from statistics import fmean

from backend.core.numeric import Floats, np, special
from backend.core.statistics.estimate import deviation, t_quantile
from backend.core.units import Direction

# Smaller differences are irrelevant in practice.
EQUIVALENCE_RATIO = 1.03
# The difference for which the power of a comparison is reported.
SOUGHT_RATIO = 1.05
_POWER_POINTS = 500


class Word(StrEnum):
    """The result of comparing the first value with the second."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Comparison:
    """The ratio of two cells, first divided by second, with its interval.

    `power` is the probability that equally many and equally noisy trials find a true ratio of
    SOUGHT_RATIO. `p_value` is that of the two-sided t-test of no difference. `low`, `high`, `power`
    and `p_value` are None with too few trials for an interval.
    """

    ratio: float
    low: float | None
    high: float | None
    power: float | None
    p_value: float | None
    word: Word

    @property
    def equivalence_ratio(self) -> float | None:
        """Return the smallest margin within which the two are equivalent; 1.04 means ±4 %.

        Two one-sided tests (D. J. Schuirmann, 1987), by inclusion of the 95 % interval. This is
        stricter than the 90 % interval that tests at 5 % require.
        """
        if self.low is None or self.high is None:
            return None
        return max(self.high, 1 / self.low)


@dataclass(frozen=True)
class LogSummary:
    """Number, mean and deviation of the logs of one side's trials, for a Welch test.

    `deviation` (ddof 1) is None with fewer than two trials.
    """

    n: int
    mean: float
    deviation: float | None


def compare_pairs(
    first: Sequence[float], second: Sequence[float], direction: Direction
) -> Comparison:
    """Compare trials that ran as pairs, repetitions of one interleaved run: paired t on logs.

    Raises:
        ValueError: the lengths differ, there are none, or a value is not positive.
    """
    if len(first) != len(second):
        raise ValueError(f"pairs need equal numbers of trials: {len(first)} and {len(second)}")
    differences = [log(a) - log(b) for a, b in zip(first, second, strict=True)]
    n = len(differences)
    if n < 2:
        return _inconclusive(fmean(differences))
    return _judge(fmean(differences), deviation(differences) / sqrt(n), n - 1, direction)


def compare_independent(
    first: Sequence[float], second: Sequence[float], direction: Direction
) -> Comparison:
    """Compare trials of different runs: Welch's t on logs.

    Raises:
        ValueError: a side is empty, or a value is not positive.
    """
    return compare_summaries(_sum_up(first), _sum_up(second), direction)


def compare_summaries(first: LogSummary, second: LogSummary, direction: Direction) -> Comparison:
    """Compare trials of different runs, given number, mean and deviation of their logs."""
    centre = first.mean - second.mean
    if first.deviation is None or second.deviation is None:
        return _inconclusive(centre)
    shares = [(first.deviation**2 / first.n, first.n), (second.deviation**2 / second.n, second.n)]
    total = sum(share for share, _ in shares)
    parts = sum(share**2 / (n - 1) for share, n in shares)
    freedom = total**2 / parts if parts else float(first.n + second.n - 2)
    return _judge(centre, sqrt(total), freedom, direction)


def find_power(ratio: float, standard_error: float, freedom: float) -> float:
    """Return the probability that a two-sided t-test at 5 % finds a true ratio.

    Args:
        standard_error: of the difference of logs.
        freedom: the test's degrees of freedom.
    """
    if standard_error <= 0:
        return 1.0
    shift = abs(log(ratio)) / standard_error
    # Rounded to a tenth: Welch's freedom is an approximation, and the limits are slow to compute.
    limits = _power_limits(round(freedom, 1))
    return float(np.mean(special.ndtr(shift - limits) + special.ndtr(-shift - limits)))


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


def _judge(centre: float, error: float, freedom: float, direction: Direction) -> Comparison:
    half_width = t_quantile(freedom) * error
    low, high = exp(centre - half_width), exp(centre + half_width)
    power = find_power(SOUGHT_RATIO, error, freedom)
    p_value = _find_p(centre, error, freedom)
    return Comparison(exp(centre), low, high, power, p_value, find_word(low, high, direction))


def _find_p(centre: float, error: float, freedom: float) -> float:
    if error > 0:
        return float(2 * special.stdtr(freedom, -abs(centre) / error))
    return 0.0 if centre else 1.0


def find_word(
    low: float, high: float, direction: Direction, margin_ratio: float = EQUIVALENCE_RATIO
) -> Word:
    """Return the outcome of a ratio's interval. A difference within the margin is equivalence."""
    if low >= 1 / margin_ratio and high <= margin_ratio:
        return Word.EQUIVALENT
    if low <= 1 <= high:
        return Word.INCONCLUSIVE
    is_more = low > 1
    return Word.FASTER if is_more == (direction is Direction.HIGHER) else Word.SLOWER


def _inconclusive(centre: float) -> Comparison:
    return Comparison(exp(centre), None, None, None, None, Word.INCONCLUSIVE)


def _sum_up(values: Sequence[float]) -> LogSummary:
    logs = [log(value) for value in values]
    return LogSummary(len(logs), fmean(logs), deviation(logs) if len(logs) > 1 else None)

"""Statistics as pure functions: estimates over trials, and comparisons of two results.

Sources: t interval on logs, e.g. N. L. Johnson & B. L. Welch (1940); for positive, right-skewed
quantities such as times, rates and costs the log is close to normal, and the geometric mean is
the natural centre of ratios. Pairs: Student (1908). Unpaired: B. L. Welch (1947), "The
generalization of 'Student's' problem when several different population variances are involved",
Biometrika 34. Power: J. Cohen (1988), "Statistical power analysis", by the noncentral t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import exp, fsum, log, sqrt
from statistics import fmean

from backend.core.numeric import Floats, np, special
from backend.core.units import Aggregation, Direction

CONFIDENCE = 0.95
# Smaller differences are irrelevant in practice.
EQUIVALENCE_RATIO = 1.03
# The difference for which the power of a comparison is reported.
SOUGHT_RATIO = 1.05
_POWER_POINTS = 500


@dataclass(frozen=True)
class Estimate:
    """A centre with its confidence interval, in the unit of the values.

    `low` and `high` are None with fewer than two values, which have no interval.
    """

    estimate: float
    low: float | None
    high: float | None
    n: int


def estimate(values: Sequence[float], aggregation: Aggregation) -> Estimate:
    """Return centre and 95 % interval of a metric over trials.

    GEOMETRIC falls back to ARITHMETIC if a value is not positive and therefore has no log.

    Raises:
        ValueError: `values` is empty.
    """
    if not values:
        raise ValueError("an estimate needs at least one value")
    if aggregation is Aggregation.GEOMETRIC and min(values) > 0:
        logs = _t_interval([log(value) for value in values])
        return Estimate(
            exp(logs.estimate),
            None if logs.low is None else exp(logs.low),
            None if logs.high is None else exp(logs.high),
            logs.n,
        )
    return _t_interval(values)


class Word(StrEnum):
    """The outcome of a comparison of the first with the second."""

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
    return _judge(fmean(differences), _deviation(differences) / sqrt(n), n - 1, direction)


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
    limits: Floats = _t_quantile(freedom) * np.sqrt(
        2 * special.gammaincinv(freedom / 2, points) / freedom
    )
    return limits


def _judge(centre: float, error: float, freedom: float, direction: Direction) -> Comparison:
    half_width = _t_quantile(freedom) * error
    low, high = exp(centre - half_width), exp(centre + half_width)
    power = find_power(SOUGHT_RATIO, error, freedom)
    p_value = _find_p(centre, error, freedom)
    return Comparison(exp(centre), low, high, power, p_value, _find_word(low, high, direction))


def _find_p(centre: float, error: float, freedom: float) -> float:
    if error > 0:
        return float(2 * special.stdtr(freedom, -abs(centre) / error))
    return 0.0 if centre else 1.0


def _find_word(low: float, high: float, direction: Direction) -> Word:
    """Return the outcome. A significant but irrelevant difference is equivalence."""
    if low >= 1 / EQUIVALENCE_RATIO and high <= EQUIVALENCE_RATIO:
        return Word.EQUIVALENT
    if low <= 1 <= high:
        return Word.INCONCLUSIVE
    is_more = low > 1
    return Word.FASTER if is_more == (direction is Direction.HIGHER) else Word.SLOWER


def _inconclusive(centre: float) -> Comparison:
    return Comparison(exp(centre), None, None, None, None, Word.INCONCLUSIVE)


def _sum_up(values: Sequence[float]) -> LogSummary:
    logs = [log(value) for value in values]
    return LogSummary(len(logs), fmean(logs), _deviation(logs) if len(logs) > 1 else None)


def _deviation(values: Sequence[float]) -> float:
    """Return the standard deviation (ddof 1), 50 times faster than `statistics.stdev`."""
    centre = fmean(values)
    return sqrt(fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


# A leaderboard tests hundreds of pairs, and repeats the same ones.
@lru_cache(maxsize=4096)
def _t_quantile(freedom: float) -> float:
    return float(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def _t_interval(values: Sequence[float]) -> Estimate:
    n = len(values)
    centre = fmean(values)
    if n < 2:
        return Estimate(centre, None, None, n)
    half_width = _t_quantile(n - 1) * _deviation(values) / sqrt(n)
    return Estimate(centre, centre - half_width, centre + half_width, n)

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

    All of them, and `word`, allow for an error of the instrument by the factor `instrument_ratio`:
    the 95 % interval is widened by it on both sides, and the p-value is that of a true ratio within
    it.
    """

    ratio: float
    low: float | None
    high: float | None
    power: float | None
    p_value: float | None
    word: Word
    instrument_ratio: float = 1.0

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
    first: Sequence[float],
    second: Sequence[float],
    direction: Direction,
    instrument_ratio: float = 1.0,
) -> Comparison:
    """Compare trials that ran as pairs, repetitions of one interleaved run: paired t on logs.

    Args:
        instrument_ratio: the factor by which the instrument may be wrong about the ratio, 1 or
            more.

    Raises:
        ValueError: the lengths differ, there are none, or a value is not positive.
    """
    if len(first) != len(second):
        raise ValueError(f"pairs need equal numbers of trials: {len(first)} and {len(second)}")
    differences = [log(a) - log(b) for a, b in zip(first, second, strict=True)]
    n = len(differences)
    if n < 2:
        return _inconclusive(fmean(differences), instrument_ratio)
    spread = _Spread(deviation(differences) / sqrt(n), n - 1, log(instrument_ratio))
    return _judge(fmean(differences), spread, direction)


def compare_independent(
    first: Sequence[float],
    second: Sequence[float],
    direction: Direction,
    instrument_ratio: float = 1.0,
) -> Comparison:
    """Compare trials of different runs: Welch's t on logs; see `compare_pairs`.

    Raises:
        ValueError: a side is empty, or a value is not positive.
    """
    return compare_summaries(_sum_up(first), _sum_up(second), direction, instrument_ratio)


def compare_summaries(
    first: LogSummary, second: LogSummary, direction: Direction, instrument_ratio: float = 1.0
) -> Comparison:
    """Compare trials of different runs, given number, mean and deviation of their logs."""
    centre = first.mean - second.mean
    if first.deviation is None or second.deviation is None:
        return _inconclusive(centre, instrument_ratio)
    shares = [(first.deviation**2 / first.n, first.n), (second.deviation**2 / second.n, second.n)]
    total = sum(share for share, _ in shares)
    parts = sum(share**2 / (n - 1) for share, n in shares)
    freedom = total**2 / parts if parts else float(first.n + second.n - 2)
    return _judge(centre, _Spread(sqrt(total), freedom, log(instrument_ratio)), direction)


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


@dataclass(frozen=True)
class _Spread:
    """Standard error and degrees of freedom of a difference of logs, and the instrument's bias."""

    error: float
    freedom: float
    bias: float


def _judge(centre: float, spread: _Spread, direction: Direction) -> Comparison:
    """Return the comparison. The bias has an unknown sign, so it is added to the half-width."""
    half_width = t_quantile(spread.freedom) * spread.error + spread.bias
    low, high = exp(centre - half_width), exp(centre + half_width)
    return Comparison(
        ratio=exp(centre),
        low=low,
        high=high,
        power=find_power(SOUGHT_RATIO, spread.error, spread.freedom, spread.bias),
        p_value=_find_p(centre, spread),
        word=find_word(low, high, direction),
        instrument_ratio=exp(spread.bias),
    )


def _find_p(centre: float, spread: _Spread) -> float:
    """Return the p-value of a true difference within the bias, in either direction."""
    beyond = abs(centre) - spread.bias
    if beyond <= 0:
        return 1.0
    if spread.error > 0:
        return float(2 * special.stdtr(spread.freedom, -beyond / spread.error))
    return 0.0


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


def _inconclusive(centre: float, instrument_ratio: float) -> Comparison:
    return Comparison(exp(centre), None, None, None, None, Word.INCONCLUSIVE, instrument_ratio)


def _sum_up(values: Sequence[float]) -> LogSummary:
    logs = [log(value) for value in values]
    return LogSummary(len(logs), fmean(logs), deviation(logs) if len(logs) > 1 else None)

"""Comparisons of two results: their ratio with its confidence interval, as pure functions.

Ratios are compared by their logs. Shares, such as the share of successful requests, are compared by
their difference in percentage points: the ratio of two shares near 1 shows nothing, and a share of
0 has none.

Sources: Student (1908) for pairs. B. L. Welch (1947), "The generalization of 'Student's' problem
when several different population variances are involved", Biometrika 34, for independent trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, log, sqrt
from statistics import fmean

from backend.core.numeric import special
from backend.core.statistics.estimate import (
    CONFIDENCE,
    MIN_INTERVAL_TRIALS,
    deviation,
    t_quantile,
)
from backend.core.statistics.power import find_power
from backend.core.units import Direction

# Smaller differences are irrelevant in practice: ratios, and differences of shares.
EQUIVALENCE_RATIO = 1.03
EQUIVALENCE_SHARE = 0.01
# The difference for which the power of a comparison is reported.
SOUGHT_RATIO = 1.05
# Beyond this, exp() overflows.
_LARGEST_LOG = 700.0


class Word(StrEnum):
    """The result of comparing the first value with the second."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"


OPPOSITES = {Word.FASTER: Word.SLOWER, Word.SLOWER: Word.FASTER}


@dataclass(frozen=True)
class Instrument:
    """The errors of a host and its load generator, as factors of 1 or more.

    Attributes:
        error_ratio: by how much the load generator may be wrong about a ratio. It widens intervals.
        detectable_ratio: the smallest ratio that the noise and the load generator of the host do
            not explain; 1 if the host is not calibrated. Smaller ratios are never faster or slower.
    """

    error_ratio: float = 1.0
    detectable_ratio: float = 1.0

    @property
    def margin_ratio(self) -> float:
        """Return the margin of equivalence: results are equivalent within this factor."""
        return max(EQUIVALENCE_RATIO, self.detectable_ratio)

    def combine(self, other: Instrument) -> Instrument:
        """Return the larger error and the larger detectable ratio."""
        return Instrument(
            max(self.error_ratio, other.error_ratio),
            max(self.detectable_ratio, other.detectable_ratio),
        )


EXACT = Instrument()


@dataclass(frozen=True)
class Criteria:
    """The criteria for the word of a difference. Differences are those of logs, or of shares.

    Attributes:
        margin: differences within it are equivalence.
        detectable: smaller estimated differences are never faster or slower.
        bias: error of the instrument, of unknown sign.
    """

    direction: Direction
    margin: float
    detectable: float = 0.0
    bias: float = 0.0

    @classmethod
    def of_ratios(cls, direction: Direction, instrument: Instrument = EXACT) -> Criteria:
        """Return the criteria for logs of ratios."""
        return cls(
            direction,
            log(instrument.margin_ratio),
            log(instrument.detectable_ratio),
            log(instrument.error_ratio),
        )

    @classmethod
    def of_shares(cls, direction: Direction) -> Criteria:
        """Return the criteria for differences of shares, which are counted without error."""
        return cls(direction, EQUIVALENCE_SHARE)

    def is_equivalent(self, low: float, high: float) -> bool:
        """Return whether an interval of a difference lies within the margin."""
        return -self.margin <= low and high <= self.margin

    def find_order(self, centre: float, low: float, high: float) -> Word:
        """Return whether an estimated difference with its interval is faster or slower."""
        if low <= 0 <= high or abs(centre) < self.detectable:
            return Word.INCONCLUSIVE
        return Word.FASTER if (low > 0) == (self.direction is Direction.HIGHER) else Word.SLOWER


@dataclass(frozen=True)
class Evidence:
    """The t statistic of a comparison: the estimated difference of logs, or of shares.

    Attributes:
        error: standard error of the difference.
        freedom: degrees of freedom of the test.
    """

    centre: float
    error: float
    freedom: float
    criteria: Criteria
    is_share: bool = False

    @property
    def p_value(self) -> float:
        """Return the p-value of a true difference within the bias, in either direction."""
        beyond = abs(self.centre) - self.criteria.bias
        if beyond <= 0:
            return 1.0
        if self.error > 0:
            return float(2 * special.stdtr(self.freedom, -beyond / self.error))
        return 0.0


@dataclass(frozen=True)
class Comparison:
    """The ratio of two cells, first divided by second, with its interval.

    Shares have a `difference` instead, first minus second: 0.02 means 2 percentage points. `low`
    and `high` are bounds of the ratio or of the difference.

    `power` is the probability that equally many and equally noisy trials find a true ratio of
    SOUGHT_RATIO. `p_value` is that of the two-sided t-test of no difference. `low`, `high`, `power`
    and `p_value` are None with fewer than three trials, and `power` for shares.

    All of them, and `word`, allow for an error of the instrument by the factor `instrument_ratio`:
    the 95 % interval is widened by it on both sides, and the p-value is that of a true ratio within
    it. Results whose ratio is smaller than `detectable_ratio` are never faster or slower.
    """

    ratio: float | None
    low: float | None
    high: float | None
    power: float | None
    p_value: float | None
    word: Word
    instrument_ratio: float = 1.0
    difference: float | None = None
    detectable_ratio: float = 1.0
    evidence: Evidence | None = None

    @property
    def is_more(self) -> bool:
        """Return whether the first value is larger than the second."""
        return (self.difference or 0.0) > 0 if self.ratio is None else self.ratio > 1

    @property
    def size(self) -> float:
        """Return the size of the difference: of the logs, or of the shares."""
        return abs(self.difference or 0.0) if self.ratio is None else abs(log(self.ratio))

    @property
    def equivalence_ratio(self) -> float | None:
        """Return the smallest margin within which the two are equivalent; 1.04 means ±4 %.

        Two one-sided tests (D. J. Schuirmann, 1987), by inclusion of the 95 % interval. This is
        stricter than the 90 % interval that tests at 5 % require.
        """
        if self.ratio is None or self.low is None or self.high is None:
            return None
        return max(self.high, 1 / self.low)

    def at_confidence(self, confidence: float) -> Comparison:
        """Return the comparison with an interval and a word of another confidence."""
        if self.evidence is None:
            return self
        return replace(_judge(self.evidence, confidence), power=self.power)

    def invert(self) -> Comparison:
        """Return the comparison of the second with the first."""
        if self.ratio is None:
            low, high = (
                None if self.high is None else -self.high,
                None if self.low is None else -self.low,
            )
        else:
            low, high = (
                None if self.high is None else 1 / self.high,
                None if self.low is None else 1 / self.low,
            )
        evidence = self.evidence
        ratio = None if self.ratio is None else 1 / self.ratio
        if ratio is not None and evidence is not None:
            # Exactly the ratio of the second to the first: 2, not 1.9999999999999998.
            ratio = exp(-evidence.centre)
        return replace(
            self,
            ratio=ratio,
            difference=None if self.difference is None else -self.difference,
            low=low,
            high=high,
            word=OPPOSITES.get(self.word, self.word),
            evidence=None if evidence is None else replace(evidence, centre=-evidence.centre),
        )


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
    instrument: Instrument = EXACT,
) -> Comparison:
    """Compare trials that ran as pairs, repetitions of one interleaved run: paired t on logs.

    Raises:
        ValueError: the lengths differ, there are none, or a value is not positive.
    """
    differences = _subtract([log(value) for value in first], [log(value) for value in second])
    return _compare_differences(differences, Criteria.of_ratios(direction, instrument))


def compare_independent(
    first: Sequence[float],
    second: Sequence[float],
    direction: Direction,
    instrument: Instrument = EXACT,
) -> Comparison:
    """Compare trials of different runs: Welch's t on logs.

    Raises:
        ValueError: a side is empty, or a value is not positive.
    """
    sides = [[log(value) for value in side] for side in (first, second)]
    return compare_summaries(_sum_up(sides[0]), _sum_up(sides[1]), direction, instrument)


def compare_summaries(
    first: LogSummary, second: LogSummary, direction: Direction, instrument: Instrument = EXACT
) -> Comparison:
    """Compare trials of different runs, given number, mean and deviation of their logs."""
    return _compare_summaries(first, second, Criteria.of_ratios(direction, instrument))


def compare_share_pairs(
    first: Sequence[float], second: Sequence[float], direction: Direction
) -> Comparison:
    """Compare shares of trials that ran as pairs: paired t on their differences.

    Raises:
        ValueError: the lengths differ, or there are none.
    """
    criteria = Criteria.of_shares(direction)
    return _compare_differences(_subtract(first, second), criteria, is_share=True)


def compare_independent_shares(
    first: Sequence[float], second: Sequence[float], direction: Direction
) -> Comparison:
    """Compare shares of trials of different runs: Welch's t on the shares.

    Raises:
        ValueError: a side is empty.
    """
    criteria = Criteria.of_shares(direction)
    return _compare_summaries(_sum_up(first), _sum_up(second), criteria, is_share=True)


def _subtract(first: Sequence[float], second: Sequence[float]) -> list[float]:
    if len(first) != len(second):
        raise ValueError(f"pairs need equal numbers of trials: {len(first)} and {len(second)}")
    return [a - b for a, b in zip(first, second, strict=True)]


def _compare_differences(
    differences: Sequence[float], criteria: Criteria, *, is_share: bool = False
) -> Comparison:
    n, centre = len(differences), fmean(differences)
    if n < MIN_INTERVAL_TRIALS:
        return _inconclusive(centre, criteria, is_share=is_share)
    error = deviation(differences) / sqrt(n)
    return _compare(Evidence(centre, error, n - 1, criteria, is_share))


def _compare_summaries(
    first: LogSummary, second: LogSummary, criteria: Criteria, *, is_share: bool = False
) -> Comparison:
    centre = first.mean - second.mean
    if min(first.n, second.n) < MIN_INTERVAL_TRIALS:
        return _inconclusive(centre, criteria, is_share=is_share)
    assert first.deviation is not None
    assert second.deviation is not None
    shares = [(first.deviation**2 / first.n, first.n), (second.deviation**2 / second.n, second.n)]
    total = sum(share for share, _ in shares)
    parts = sum(share**2 / (n - 1) for share, n in shares)
    freedom = total**2 / parts if parts else float(first.n + second.n - 2)
    return _compare(Evidence(centre, sqrt(total), freedom, criteria, is_share))


def _compare(evidence: Evidence) -> Comparison:
    """Return the comparison with its 95 % interval and its power."""
    found = _judge(evidence, CONFIDENCE)
    if evidence.is_share:
        return found
    bias = evidence.criteria.bias
    return replace(found, power=find_power(SOUGHT_RATIO, evidence.error, evidence.freedom, bias))


def _judge(evidence: Evidence, confidence: float) -> Comparison:
    """Return the comparison. The bias has an unknown sign, so it is added to the half-width."""
    centre, criteria = evidence.centre, evidence.criteria
    half_width = t_quantile(evidence.freedom, confidence) * evidence.error + criteria.bias
    low, high = centre - half_width, centre + half_width
    is_equivalent = criteria.is_equivalent(low, high)
    bounds = (max(low, -1.0), min(high, 1.0))
    if not evidence.is_share:
        bounds = exp(max(low, -_LARGEST_LOG)), exp(min(high, _LARGEST_LOG))
    return replace(
        _inconclusive(centre, criteria, is_share=evidence.is_share),
        low=bounds[0],
        high=bounds[1],
        p_value=evidence.p_value,
        word=Word.EQUIVALENT if is_equivalent else criteria.find_order(centre, low, high),
        evidence=evidence,
    )


def _inconclusive(centre: float, criteria: Criteria, *, is_share: bool) -> Comparison:
    """Return a comparison without an interval."""
    return Comparison(
        ratio=None if is_share else exp(centre),
        low=None,
        high=None,
        power=None,
        p_value=None,
        word=Word.INCONCLUSIVE,
        instrument_ratio=exp(criteria.bias),
        difference=centre if is_share else None,
        detectable_ratio=exp(criteria.detectable),
    )


def _sum_up(values: Sequence[float]) -> LogSummary:
    return LogSummary(len(values), fmean(values), deviation(values) if len(values) > 1 else None)

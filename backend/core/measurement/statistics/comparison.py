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
from math import ceil, exp, log, sqrt
from statistics import fmean

from backend.core.measurement.statistics.estimate import (
    CONFIDENCE,
    MIN_INTERVAL_TRIALS,
    deviation,
    t_quantile,
)
from backend.core.numeric import special
from backend.core.units import Direction

# Smaller differences are irrelevant in practice: ratios, and differences of shares.
EQUIVALENCE_RATIO = 1.03
EQUIVALENCE_SHARE = 0.01
# The probability with which an estimated number of trials decides a pair.
_WANTED_POWER = 0.8
# Beyond this, exp() overflows.
_LARGEST_LOG = 700.0


class PairState(StrEnum):
    """The state of two results in a metric. Pages, files and the API use these words.

    DIFFERENCE: their order is known. UNDECIDED: neither a difference nor equivalence is shown yet.
    """

    DIFFERENCE = "difference"
    EQUIVALENT = "equivalent"
    UNDECIDED = "cannot_be_told_apart_yet"
    NOT_COMPARABLE = "not_comparable"

    @property
    def words(self) -> str:
        """Return the state as words in the middle of a sentence: `cannot be told apart yet`."""
        return self.value.replace("_", " ")


@dataclass(frozen=True)
class Instrument:
    """The errors of a host and its load generator, as factors of 1 or more.

    Attributes:
        error_ratio: by how much the load generator may be wrong about a ratio. It widens intervals.
        detectable_ratio: the smallest ratio that the noise and the load generator of the host do
            not explain; 1 if the host is not calibrated. Smaller ratios are never a difference.
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
    """The criteria for the state of a pair. Differences are those of logs, or of shares.

    Attributes:
        margin: differences within it are equivalence.
        detectable: smaller estimated differences are never a difference.
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

    def decide(
        self,
        centre: float,
        interval: tuple[float, float],
        equivalence: tuple[float, float] | None = None,
    ) -> tuple[PairState, tuple[float, float]]:
        """Return the state of a pair, and the interval of the difference that it follows from.

        Two equal results of a host may differ by the detectable difference. An estimate within it
        shows no order, so its interval is widened by it and contains 0.

        Args:
            centre: the estimated difference, within the intervals.
            equivalence: the interval that decides about equivalence, if it is another one.
        """
        low, high = equivalence or interval
        if -self.margin <= low and high <= self.margin:
            return PairState.EQUIVALENT, (low, high)
        low, high = interval
        if abs(centre) < self.detectable:
            low, high = low - self.detectable, high + self.detectable
        state = PairState.UNDECIDED if low <= 0 <= high else PairState.DIFFERENCE
        return state, (low, high)

    def is_better(self, difference: float) -> bool:
        """Return whether the first value is better, given the first minus the second."""
        return (difference > 0) == (self.direction is Direction.HIGHER)

    def find_needed_error(self, centre: float, deciding: float, equating: float) -> float | None:
        """Return the standard error at which a pair is probably decided.

        That is the error at which a true difference of this size is shown, or equivalence, with a
        probability of 80 %. None if no error is small enough: the difference is close to the
        margin, or the errors of the instrument are larger than it.

        Args:
            deciding, equating: the critical values of the tests of a difference and of equivalence.
        """
        size, power = abs(centre), float(special.ndtri(_WANTED_POWER))
        # The larger distance per critical value needs fewer trials.
        errors = [(self.margin - size - self.bias) / (equating + power)]
        if size >= self.detectable:
            errors.append((size - self.bias) / (deciding + power))
        needed = max(errors)
        return needed if needed > 0 else None


@dataclass(frozen=True)
class Evidence:
    """The t statistic of a comparison: the estimated difference of logs, or of shares.

    Attributes:
        error: standard error of the difference.
        freedom: degrees of freedom of the test.
        n: number of pairs, or of the trials of the smaller side.
    """

    centre: float
    error: float
    freedom: float
    n: int
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

    def estimate_trials(self, confidence: float) -> int | None:
        """Return with how many trials each the pair is probably decided; None if with no number.

        Args:
            confidence: of the interval that decides.
        """
        total = self.n
        # Each pass uses the quantile for the number of the pass before, which converges quickly.
        for _ in range(10):
            quantile = t_quantile(max(1.0, self.freedom * total / self.n), confidence)
            needed = self.criteria.find_needed_error(self.centre, quantile, quantile)
            if needed is None:
                return None
            total = max(MIN_INTERVAL_TRIALS, ceil(self.n * (self.error / needed) ** 2))
        return max(total, self.n + 1)


@dataclass(frozen=True)
class Comparison:
    """The ratio of two cells, first divided by second, with its interval and its state.

    Shares have a `difference` instead, first minus second: 0.02 means 2 percentage points. `low`
    and `high` are bounds of the ratio or of the difference. `p_value` is that of the two-sided
    t-test of no difference. All of them are None with fewer than three trials. If only `high` is
    None, the ratio has no upper bound.

    The state follows from the interval, except for equivalence in a run with a goal. It allows for
    an error of the instrument by the factor `instrument_ratio`, by which the interval is widened on
    both sides. Ratios smaller than `detectable_ratio` are never a difference.

    Attributes:
        is_better: whether the first value is better. None unless the state is a difference.
        trials_needed: the number of trials each with which an undecided pair is probably decided.
            None if no number is known.
    """

    ratio: float | None
    low: float | None
    high: float | None
    p_value: float | None
    state: PairState
    is_better: bool | None = None
    trials_needed: int | None = None
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

    def at_confidence(self, confidence: float) -> Comparison:
        """Return the comparison with an interval and a state of another confidence."""
        return self if self.evidence is None else _judge(self.evidence, confidence)

    def as_not_comparable(self) -> Comparison:
        """Return the same figures without an order: the results are not comparable."""
        return replace(
            self, state=PairState.NOT_COMPARABLE, is_better=None, trials_needed=None, evidence=None
        )

    def invert(self) -> Comparison:
        """Return the comparison of the second with the first."""
        if self.ratio is None:
            low, high = (
                None if self.high is None else -self.high,
                None if self.low is None else -self.low,
            )
        else:
            low, high = (
                None if self.low is None else 1 / self.high if self.high else 0.0,
                1 / self.low if self.low else None,
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
            is_better=None if self.is_better is None else not self.is_better,
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
        return _without_interval(centre, criteria, is_share=is_share)
    error = deviation(differences) / sqrt(n)
    return _judge(Evidence(centre, error, n - 1, n, criteria, is_share), CONFIDENCE)


def _compare_summaries(
    first: LogSummary, second: LogSummary, criteria: Criteria, *, is_share: bool = False
) -> Comparison:
    centre = first.mean - second.mean
    if min(first.n, second.n) < MIN_INTERVAL_TRIALS:
        return _without_interval(centre, criteria, is_share=is_share)
    assert first.deviation is not None
    assert second.deviation is not None
    shares = [(first.deviation**2 / first.n, first.n), (second.deviation**2 / second.n, second.n)]
    total = sum(share for share, _ in shares)
    parts = sum(share**2 / (n - 1) for share, n in shares)
    freedom = total**2 / parts if parts else float(first.n + second.n - 2)
    smaller = min(first.n, second.n)
    evidence = Evidence(centre, sqrt(total), freedom, smaller, criteria, is_share)
    return _judge(evidence, CONFIDENCE)


def _judge(evidence: Evidence, confidence: float) -> Comparison:
    """Return the comparison. The bias has an unknown sign, so it is added to the half-width."""
    centre, criteria = evidence.centre, evidence.criteria
    half_width = t_quantile(evidence.freedom, confidence) * evidence.error + criteria.bias
    state, (low, high) = criteria.decide(centre, (centre - half_width, centre + half_width))
    bounds = (max(low, -1.0), min(high, 1.0))
    if not evidence.is_share:
        bounds = exp(max(low, -_LARGEST_LOG)), exp(min(high, _LARGEST_LOG))
    is_undecided = state is PairState.UNDECIDED
    return replace(
        _without_interval(centre, criteria, is_share=evidence.is_share),
        low=bounds[0],
        high=bounds[1],
        p_value=evidence.p_value,
        state=state,
        is_better=criteria.is_better(centre) if state is PairState.DIFFERENCE else None,
        trials_needed=evidence.estimate_trials(confidence) if is_undecided else None,
        evidence=evidence,
    )


def _without_interval(centre: float, criteria: Criteria, *, is_share: bool) -> Comparison:
    return Comparison(
        ratio=None if is_share else exp(centre),
        low=None,
        high=None,
        p_value=None,
        state=PairState.UNDECIDED,
        trials_needed=MIN_INTERVAL_TRIALS,
        instrument_ratio=exp(criteria.bias),
        difference=centre if is_share else None,
        detectable_ratio=exp(criteria.detectable),
    )


def _sum_up(values: Sequence[float]) -> LogSummary:
    return LogSummary(len(values), fmean(values), deviation(values) if len(values) > 1 else None)

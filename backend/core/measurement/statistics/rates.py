"""The highest rate that a service sustained in a load in steps, and its comparison; pure.

A load in steps shows only that a service passed one rate and failed at the next. The rate that it
sustains in these steps is at least the first and below the second. If it passed the last step, no
upper bound is known.

A service that is overloaded passes a step if the step ends before requests wait longer than the
timeout. All responses to a step of L seconds arrive within L + timeout seconds. A service with
capacity c sends at most c · (L + timeout) of them, and the step passes only if at least the share p
of its r · L requests succeed. A rate r that passed therefore proves only c ≥ p · r · L / (L +
timeout).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from backend.core.measurement.statistics.comparison import EQUIVALENCE_RATIO, Comparison, PairState
from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS, Estimate
from backend.core.numbers import format_value


@dataclass(frozen=True)
class RateBounds:
    """The highest sustained rate is at least `low` and below `high` (req/s) in all trials.

    Attributes:
        high: infinite if a trial passed the last step.
        parameters: of the load.
        rates: the highest rate that each trial passed; 0 if it failed at the first.
    """

    low: float
    high: float
    parameters: Mapping[str, int]
    rates: Sequence[float]

    @classmethod
    def of(cls, rates: Sequence[float], parameters: Mapping[str, int]) -> RateBounds:
        """Return the bounds over all trials.

        Args:
            rates: the highest rate that each trial passed, at least one trial.
        """
        first, step = parameters["first_rps"], parameters["step_rps"]
        highest = max(rates)
        following = first if highest < first else highest + step
        is_open = highest >= find_last_rate(parameters)
        return cls(min(rates), inf if is_open else following, parameters, tuple(rates))

    @property
    def is_at_ceiling(self) -> bool:
        """Return whether the service sustained the highest rate of the load."""
        return self.high == inf

    @property
    def trials_agree(self) -> bool:
        """Return whether all trials ended at the same step."""
        return len(set(self.rates)) == 1

    @property
    def proven(self) -> RateBounds:
        """Return the bounds of the capacity that the steps prove."""
        return replace(self, low=self.low * find_proven_share(self.parameters))

    @property
    def estimate(self) -> Estimate:
        """Return what all trials passed, and the interval up to the first rate that none passed.

        A rate at the ceiling is a bound: it is at least the estimate.
        """
        n = len(self.rates)
        if n < MIN_INTERVAL_TRIALS:
            return Estimate(self.low, None, None, n, tuple(self.rates), is_bound=self.is_at_ceiling)
        high = None if self.is_at_ceiling else self.high
        return Estimate(self.low, self.low, high, n, is_bound=self.is_at_ceiling)


def find_rate_bounds(
    passed: Collection[float], trials: int, parameters: Mapping[str, int]
) -> RateBounds | None:
    """Return the bounds over all trials that count; None if no trial passed a step.

    Args:
        passed: the highest rate of each trial that passed a step.
        trials: number of trials that count.
    """
    if not passed:
        return None
    return RateBounds.of([*passed, *[0.0] * (trials - len(passed))], parameters)


def find_last_rate(parameters: Mapping[str, int]) -> int:
    """Return the rate of the last step of a load in steps."""
    return parameters["first_rps"] + (parameters["steps"] - 1) * parameters["step_rps"]


def find_proven_share(parameters: Mapping[str, int]) -> float:
    """Return the share of a passed rate that a service must be able to sustain."""
    seconds, timeout_seconds = parameters["step_seconds"], parameters["timeout_ms"] / 1000
    return parameters["success_percent"] / 100 * seconds / (seconds + timeout_seconds)


def describe_proof(bounds: RateBounds) -> str:
    """Return which capacity a passed rate proves.

    `passing 1,100 req/s for 3 s with a timeout of 3 s proves only 495 req/s`
    """
    seconds = format_value(bounds.parameters["step_seconds"], "s")
    timeout = format_value(bounds.parameters["timeout_ms"] / 1000, "s")
    passed, proven = (format_value(each.low, "req/s") for each in (bounds, bounds.proven))
    return f"passing {passed} for {seconds} with a timeout of {timeout} proves only {proven}"


def bound_ratio(first: RateBounds, second: RateBounds) -> tuple[float, float]:
    """Return the least ratio of two rates, and the ratio that it stays below."""
    low = first.low / second.high
    high = first.high / second.low if second.low else inf
    return low, high


def compare_rates(first: RateBounds, second: RateBounds) -> Comparison:
    """Compare two services under the same steps.

    A service is better if each of its trials passed a rate at which every trial of the other
    failed. No test on means is used: a rate at the ceiling has no known value, and the rates
    between two steps are not measured. More trials never narrow these bounds.
    """
    low, high = bound_ratio(first, second)
    ratio = _find_ratio(first, second, low, high)
    if min(len(first.rates), len(second.rates)) < MIN_INTERVAL_TRIALS:
        return Comparison(
            ratio, None, None, None, PairState.UNDECIDED, trials_needed=MIN_INTERVAL_TRIALS
        )
    state, is_better = PairState.UNDECIDED, None
    if low >= 1 / EQUIVALENCE_RATIO and high <= EQUIVALENCE_RATIO:
        state = PairState.EQUIVALENT
    elif low >= 1 or high <= 1:
        state, is_better = PairState.DIFFERENCE, low >= 1
    return Comparison(ratio, low, high if isfinite(high) else None, None, state, is_better)


def _find_ratio(first: RateBounds, second: RateBounds, low: float, high: float) -> float:
    """Return the ratio of what both passed, or the nearest bound if one passed nothing."""
    if first.low and second.low:
        return first.low / second.low
    if first.low:
        return low or 1.0
    return high if second.low and isfinite(high) else 1.0

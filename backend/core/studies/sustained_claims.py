"""Check claims about the highest sustained rate of a load in steps; pure.

A load in steps shows only that a service sustained one rate and failed at the next. The highest
sustained rate is at least the first and below the second.

The quick variant has shorter steps than the study, so a service can pass a rate that it would not
sustain in the study: its backlog does not grow long enough to exceed the timeout. All responses to
a step of L seconds arrive within L + timeout seconds. A service with capacity c sends at most
c · (L + timeout) of them, and the step passes only if at least the share p of its r · L requests
succeed. A rate r that passed therefore proves only c ≥ p · r · L / (L + timeout).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from backend.core.catalog.study_claims import Check
from backend.core.numbers import format_value
from backend.core.statuses import StudyVariant
from backend.core.studies.findings import CheckResult, ClaimFinding, FindingCause, decide_within
from backend.core.studies.measured import MeasuredCell
from backend.core.units import Metric


@dataclass(frozen=True)
class RateBounds:
    """The highest sustained rate is at least `low` and below `high` (req/s).

    `high` is infinite if the last step passed. `proven_share` is the share of a passed rate that
    the steps prove as capacity. `trials_agree` is whether all trials ended at the same step.
    """

    low: float
    high: float
    parameters: Mapping[str, int]
    proven_share: float
    trials: int
    trials_agree: bool

    @property
    def is_at_ceiling(self) -> bool:
        """Return whether the service sustained the highest rate of the load."""
        return self.high == inf

    @property
    def proven(self) -> "RateBounds":
        """Return the bounds of the capacity that the steps prove."""
        return replace(self, low=self.low * self.proven_share)


def find_proven_share(parameters: Mapping[str, int]) -> float:
    """Return the share of a passed rate that a service must be able to sustain."""
    seconds, timeout_seconds = parameters["step_seconds"], parameters["timeout_ms"] / 1000
    return parameters["success_percent"] / 100 * seconds / (seconds + timeout_seconds)


def find_rate_bounds(cell: MeasuredCell, variant: StudyVariant) -> RateBounds:
    """Return the bounds over all trials; a trial that failed at the first rate sustained 0.

    The steps of the full variant are those of the study, so its rates are compared as they are.
    """
    first, step = cell.parameters["first_rps"], cell.parameters["step_rps"]
    last = first + (cell.parameters["steps"] - 1) * step
    sustained = [*cell.find_values(Metric.SUSTAINED_RPS).values()]
    sustained += [0.0] * (cell.trials_succeeded - len(sustained))
    highest = max(sustained)
    following = first if highest < first else highest + step
    return RateBounds(
        low=min(sustained),
        high=inf if highest >= last else following,
        parameters=cell.parameters,
        proven_share=1 if variant is StudyVariant.FULL else find_proven_share(cell.parameters),
        trials=len(sustained),
        trials_agree=len(set(sustained)) == 1,
    )


def bound_ratio(first: RateBounds, second: RateBounds) -> tuple[float, float]:
    """Return the least ratio of two rates, and the ratio that it stays below."""
    low = first.low / second.high
    high = first.high / second.low if second.low else inf
    return low, high


def judge_rates(
    check: Check, cells: Sequence[MeasuredCell], blank: CheckResult, variant: StudyVariant
) -> CheckResult:
    """Decide a check of sustained rates, which are known only up to the next step."""
    bounds = [find_rate_bounds(cell, variant) for cell in cells]
    passed, (low, high) = _judge(check, bounds)
    finding = passed
    if not _has_same_load(check, bounds):
        finding, (low, high) = _judge(check, [bound.proven for bound in bounds])
    found = replace(
        blank,
        finding=finding,
        value=_find_value(bounds),
        n=min(bound.trials for bound in bounds),
    )
    if isfinite(high):
        found = replace(found, low=low, high=high)
    if finding is not ClaimFinding.UNDECIDED:
        return found
    if passed is not ClaimFinding.UNDECIDED:
        reason = _explain_length(bounds)
    elif all(bound.trials_agree for bound in bounds):
        reason = _explain_steps(bounds)
    else:
        return replace(found, reason="The trials sustained different rates.")
    return replace(found, cause=FindingCause.UNDECIDABLE, reason=reason)


def _has_same_load(check: Check, bounds: Sequence[RateBounds]) -> bool:
    """Return whether only the order of two services counts, under the same load.

    The service that passes the higher of two rates then has more capacity, however short the steps.
    """
    is_order = check.is_comparison and check.relation != "alike" and check.ratio_bounds is None
    return is_order and all(bound.parameters == bounds[0].parameters for bound in bounds)


def _judge(check: Check, bounds: Sequence[RateBounds]) -> tuple[ClaimFinding, tuple[float, float]]:
    """Return the finding, and the bounds of the rate or of the ratio of two rates."""
    if len(bounds) == 1:
        low, high = bounds[0].low, bounds[0].high
        return _judge_rate(low, high, check.between or (0, 0)), (low, high)
    low, high = bound_ratio(*bounds)
    return _judge_rate_ratio(check, low, high), (low, high)


def _find_value(bounds: Sequence[RateBounds]) -> float | None:
    """Return the rate that passed, or the ratio of two such rates."""
    if len(bounds) == 1:
        return bounds[0].low
    return bounds[0].low / bounds[1].low if bounds[1].low else None


def _explain_steps(bounds: Sequence[RateBounds]) -> str:
    if any(bound.is_at_ceiling for bound in bounds):
        return "A service sustained even the highest rate of this variant."
    step_rps = bounds[0].parameters["step_rps"]
    return f"The steps of this variant are {step_rps} requests per second apart."


def _explain_length(bounds: Sequence[RateBounds]) -> str:
    """Name the steps that are too short, and what the rate that passed proves."""
    shortest = min(bounds, key=lambda bound: bound.proven_share)
    seconds = format_value(shortest.parameters["step_seconds"], "s")
    timeout = format_value(shortest.parameters["timeout_ms"] / 1000, "s")
    passed, proven = (format_value(bound.low, "req/s") for bound in (shortest, shortest.proven))
    return (
        f"Steps of {seconds} with a timeout of {timeout} are too short to show an overload: "
        f"having passed {passed} proves only {proven}."
    )


def _judge_rate(low: float, high: float, bounds: tuple[float, float]) -> ClaimFinding:
    """Decide a rate that is at least `low` and below `high`."""
    least, most = bounds
    if high <= least or low >= most:
        return ClaimFinding.DOES_NOT_HOLD
    return decide_within(low, high, bounds)


def _judge_rate_ratio(check: Check, low: float, high: float) -> ClaimFinding:
    """Decide a ratio whose true value is at least `low` and below `high`."""
    if check.relation == "alike":
        return decide_within(low, high, (1 / check.within, check.within))
    if check.relation == "less":
        low, high = (1 / high if high else float("inf")), (1 / low if low else float("inf"))
    if check.ratio_bounds is not None:
        return decide_within(low, high, check.ratio_bounds)
    if low >= 1:
        return ClaimFinding.HOLDS
    return ClaimFinding.DOES_NOT_HOLD if high <= 1 else ClaimFinding.UNDECIDED

"""Check claims about the highest sustained rate of a load in steps; pure.

The quick variant has shorter steps than the study, so a service can pass a rate that it would not
sustain in the study: its backlog does not grow long enough to exceed the timeout. Only the capacity
that a passed step proves then decides (`statistics.rates`). The steps of the full variant are those
of the study, so its rates are compared as they are.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from backend.core.catalog.study_claims import Check
from backend.core.measurement.statistics.rates import (
    RateBounds,
    bound_ratio,
    describe_proof,
    find_proven_share,
)
from backend.core.results.studies.findings import (
    CheckResult,
    ClaimFinding,
    FindingCause,
    decide_within,
)
from backend.core.results.studies.measured import MeasuredCell
from backend.core.statuses import StudyVariant


def find_rate_bounds(cell: MeasuredCell) -> RateBounds:
    """Return the bounds over all trials; a service that failed at the first rate sustained 0."""
    return cell.rates or RateBounds.of([0.0] * cell.trials_succeeded, cell.parameters)


def judge_rates(
    check: Check, cells: Sequence[MeasuredCell], blank: CheckResult, variant: StudyVariant
) -> CheckResult:
    """Decide a check of sustained rates, which are known only up to the next step."""
    bounds = [find_rate_bounds(cell) for cell in cells]
    passed, (low, high) = _judge(check, bounds)
    finding = passed
    if variant is not StudyVariant.FULL and not _has_same_load(check, bounds):
        finding, (low, high) = _judge(check, [bound.proven for bound in bounds])
    found = replace(
        blank,
        finding=finding,
        value=_find_value(bounds),
        n=min(len(bound.rates) for bound in bounds),
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
    shortest = min(bounds, key=lambda bound: find_proven_share(bound.parameters))
    return f"The steps are too short to show an overload: {describe_proof(shortest)}."


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

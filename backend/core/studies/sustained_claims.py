"""Check claims about the highest sustained rate of a load in steps; pure.

A load in steps shows only that a service sustained one rate and failed at the next. The highest
sustained rate is at least the first and below the second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from backend.core.catalog.study_claims import Check
from backend.core.studies.findings import CheckResult, ClaimFinding, decide_within
from backend.core.studies.measured import MeasuredCell
from backend.core.units import Metric


@dataclass(frozen=True)
class RateBounds:
    """The highest sustained rate is at least `low` and below `high` (req/s).

    `high` is infinite if the last step passed. `trials_agree` is whether all trials ended at the
    same step.
    """

    low: float
    high: float
    step_rps: int
    trials: int
    trials_agree: bool

    @property
    def is_at_ceiling(self) -> bool:
        """Return whether the service sustained the highest rate of the load."""
        return self.high == inf


def find_rate_bounds(cell: MeasuredCell) -> RateBounds:
    """Return the bounds over all trials; a trial that failed at the first rate sustained 0."""
    first, step = cell.parameters["first_rps"], cell.parameters["step_rps"]
    last = first + (cell.parameters["steps"] - 1) * step
    sustained = [*cell.find_values(Metric.SUSTAINED_RPS).values()]
    sustained += [0.0] * (cell.trials_succeeded - len(sustained))
    highest = max(sustained)
    following = first if highest < first else highest + step
    return RateBounds(
        low=min(sustained),
        high=inf if highest >= last else following,
        step_rps=step,
        trials=len(sustained),
        trials_agree=len(set(sustained)) == 1,
    )


def bound_ratio(first: RateBounds, second: RateBounds) -> tuple[float, float]:
    """Return the least ratio of two rates, and the ratio that it stays below."""
    low = first.low / second.high
    high = first.high / second.low if second.low else inf
    return low, high


def judge_rates(check: Check, cells: Sequence[MeasuredCell], blank: CheckResult) -> CheckResult:
    """Decide a check of sustained rates, which are known only up to the next step."""
    bounds = [find_rate_bounds(cell) for cell in cells]
    found = replace(blank, n=min(bound.trials for bound in bounds))
    if len(bounds) == 1:
        low, high = bounds[0].low, bounds[0].high
        found = replace(found, value=low)
        finding = _judge_rate(low, high, check.between or (0, 0))
    else:
        low, high = bound_ratio(*bounds)
        shown = bounds[0].low / bounds[1].low if bounds[1].low else None
        found = replace(found, value=shown)
        finding = _judge_rate_ratio(check, low, high)
    if isfinite(high):
        found = replace(found, low=low, high=high)
    if finding is not ClaimFinding.INCONCLUSIVE:
        return replace(found, finding=finding)
    if not all(bound.trials_agree for bound in bounds):
        return replace(found, finding=finding, reason="The trials sustained different rates.")
    return replace(found, finding=ClaimFinding.UNDECIDABLE, reason=_explain_steps(bounds))


def _explain_steps(bounds: Sequence[RateBounds]) -> str:
    if any(bound.is_at_ceiling for bound in bounds):
        return "A service sustained even the highest rate of this variant."
    return f"The steps of this variant are {bounds[0].step_rps} requests per second apart."


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
    return ClaimFinding.DOES_NOT_HOLD if high <= 1 else ClaimFinding.INCONCLUSIVE

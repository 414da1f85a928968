"""Check the claims of a study against measured results, as pure functions.

A claim holds if all its checks hold, and does not hold if one check does not. Each ratio is tested
with its 95 % interval. If the interval does not decide, the check is undecided. With fewer than
ENOUGH_TRIALS trials no check is decided. A check that does not hold or is undecided has a cause.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from backend.core.catalog.study import StudyManifest
from backend.core.catalog.study_claims import Check, PublishedClaim
from backend.core.measurement.measurements.verdicts import ENOUGH_TRIALS
from backend.core.measurement.statistics.rates import (
    RateBounds,
    bound_ratio,
    describe_proof,
    find_proven_share,
)
from backend.core.numbers import count_of
from backend.core.results.studies.causes import (
    add_cause,
    find_exclusion_cause,
    list_unexpected_exclusions,
)
from backend.core.results.studies.findings import (
    CheckResult,
    ClaimFinding,
    ClaimResult,
    FindingCause,
    decide_within,
)
from backend.core.results.studies.measured import MeasuredCell, Reproduction
from backend.core.results.studies.ratio_claims import judge_two, judge_value
from backend.core.results.studies.sides import (
    Side,
    describe_expectation,
    label_sides,
    list_measured,
    list_sides,
)
from backend.core.statuses import StudyVariant
from backend.core.units import METRICS, Metric

# A check that does not hold decides its claim. An undecided check comes before a check that holds.
_ORDER = (ClaimFinding.DOES_NOT_HOLD, ClaimFinding.UNDECIDED, ClaimFinding.HOLDS)
_CAUSES = [*FindingCause]


def judge_claim(
    claim: PublishedClaim, study: StudyManifest, run: Reproduction | None
) -> ClaimResult:
    """Return the result of a claim for a run."""
    if not claim.checks:
        return ClaimResult(ClaimFinding.UNDECIDED, FindingCause.NOT_CHECKABLE, [])
    groups = [
        [_judge(check, sides, study, run) for sides in list_sides(check, study)]
        for check in claim.checks
    ]
    deciding_group = min(groups, key=lambda group: min(map(_rank, group)))
    deciding = min(deciding_group, key=_rank)
    return ClaimResult(
        deciding.finding,
        deciding.cause,
        [check for group in groups for check in group],
        deciding,
        list({measured: None for check in deciding_group for measured in check.measured}),
    )


def _rank(check: CheckResult) -> tuple[int, int]:
    """Return the place of a check in the order in which checks decide a claim."""
    cause = 0 if check.cause is None else _CAUSES.index(check.cause)
    return _ORDER.index(check.finding), cause


def _judge(
    check: Check, sides: Sequence[Side], study: StudyManifest, run: Reproduction | None
) -> CheckResult:
    blank = CheckResult(
        finding=ClaimFinding.UNDECIDED,
        label=label_sides(sides),
        metric=check.metric,
        is_ratio=check.is_comparison and not METRICS[check.metric].is_share,
        expected=describe_expectation(check),
    )
    if run is None:
        return replace(blank, cause=FindingCause.NOT_MEASURED, reason="Not reproduced yet.")
    cells: list[list[MeasuredCell]] = []
    for side in sides:
        found = side.find_cells(study, run)
        if obstacle := _find_obstacle(side, found, run):
            cause, reason = obstacle
            return replace(blank, cause=cause, reason=reason)
        cells.append(found)
    every = [cell for of_side in cells for cell in of_side]
    blank = replace(blank, measured=list_measured(study, sides, cells))
    exclusions = {
        verdict
        for side, of_side in zip(sides, cells, strict=True)
        for cell in of_side
        for verdict in list_unexpected_exclusions(study, run.variant, cell, side.metric)
    }
    if exclusions:
        words = ", ".join(sorted(verdict.words for verdict in exclusions))
        cause = find_exclusion_cause(exclusions, every)
        return replace(blank, cause=cause, reason=f"Excluded from ranking: {words}.")
    compared = _await_trials(_compare(check, sides, cells, blank, run))
    systems = [system for side in sides for system in side.systems]
    return add_cause(compared, study, systems, every)


def _find_obstacle(
    side: Side, cells: Sequence[MeasuredCell], run: Reproduction
) -> tuple[FindingCause, str] | None:
    """Return why a run lacks results of a side; None if it has all."""
    if not run.has_load(side.experiment, side.parameters):
        reason = f"The {run.variant} variant does not measure this load."
        return FindingCause.UNDECIDABLE, reason
    if len(cells) < len(side.systems):
        whose = side.systems[0] if len(side.systems) == 1 else "all of these systems"
        return FindingCause.NOT_MEASURED, f"There is no result of {whose}."
    return None


def _compare(
    check: Check,
    sides: Sequence[Side],
    cells: Sequence[Sequence[MeasuredCell]],
    blank: CheckResult,
    run: Reproduction,
) -> CheckResult:
    if check.metric is Metric.SUSTAINED_RPS:
        firsts = [of_side[0] for of_side in cells]
        return judge_rates(check, firsts, blank, run.variant)
    if len(sides) == 1:
        return judge_value(check, cells[0][0], blank)
    return judge_two(check, sides, cells, blank)


def _await_trials(result: CheckResult) -> CheckResult:
    """Return the result, undecided if it has too few trials."""
    if result.n >= ENOUGH_TRIALS or result.cause is not None:
        return result
    trials = count_of(result.n, "trial")
    return replace(
        result,
        finding=ClaimFinding.UNDECIDED,
        cause=FindingCause.TOO_FEW_TRIALS,
        reason=f"Only {trials}; a claim is decided by at least {ENOUGH_TRIALS}.",
    )


def find_rate_bounds(cell: MeasuredCell) -> RateBounds:
    """Return the bounds over all trials; a service that failed at the first rate sustained 0."""
    return cell.rates or RateBounds.of([0.0] * cell.trials_succeeded, cell.parameters)


def judge_rates(
    check: Check, cells: Sequence[MeasuredCell], blank: CheckResult, variant: StudyVariant
) -> CheckResult:
    """Decide a check of sustained rates, which are known only up to the next step."""
    bounds = [find_rate_bounds(cell) for cell in cells]
    passed, (low, high) = _judge_sustained(check, bounds)
    finding = passed
    if variant is not StudyVariant.FULL and not _has_same_load(check, bounds):
        finding, (low, high) = _judge_sustained(check, [bound.proven for bound in bounds])
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


def _judge_sustained(
    check: Check, bounds: Sequence[RateBounds]
) -> tuple[ClaimFinding, tuple[float, float]]:
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

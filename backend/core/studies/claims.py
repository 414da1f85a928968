"""Check the claims of a study against measured results, as pure functions.

A claim holds if all its checks hold, and does not hold if one check does not. Each ratio is tested
with its 95 % interval. If the interval does not decide, the check is inconclusive.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.catalog.study import Check, PublishedClaim, StudyManifest
from backend.core.ranking.pairs import compare_values
from backend.core.statistics.comparison import EQUIVALENCE_RATIO, Comparison
from backend.core.studies.measured import MeasuredCell, Reproduction, estimate_of
from backend.core.units import METRICS, Metric


class ClaimFinding(StrEnum):
    """Result of a claim. NOT_CHECKABLE: no data of Tacho can decide it."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    INCONCLUSIVE = "inconclusive"
    NOT_MEASURED = "not_measured"
    NOT_CHECKABLE = "not_checkable"


@dataclass(frozen=True)
class CheckResult:
    """A comparison in a claim. `low` and `high` are the 95 % interval of `value`.

    `value` is the ratio of `of` to `against`, or the metric itself without `against`.
    """

    finding: ClaimFinding
    experiment: str
    metric: Metric
    parameters: Mapping[str, int]
    of: str
    against: str | None
    expected: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str | None = None


@dataclass(frozen=True)
class ClaimResult:
    finding: ClaimFinding
    checks: Sequence[CheckResult]


def judge_claim(
    claim: PublishedClaim, study: StudyManifest, run: Reproduction | None
) -> ClaimResult:
    """Return the result of a claim for a run."""
    if not claim.checks:
        return ClaimResult(ClaimFinding.NOT_CHECKABLE, [])
    checks = [result for check in claim.checks for result in _judge(check, study, run)]
    found = {check.finding for check in checks}
    order = (
        ClaimFinding.DOES_NOT_HOLD,
        ClaimFinding.NOT_MEASURED,
        ClaimFinding.INCONCLUSIVE,
        ClaimFinding.HOLDS,
    )
    return ClaimResult(next(finding for finding in order if finding in found), checks)


def _judge(check: Check, study: StudyManifest, run: Reproduction | None) -> list[CheckResult]:
    return [_judge_one(check, other, study, run) for other in check.against or (None,)]


def _judge_one(
    check: Check, against: str | None, study: StudyManifest, run: Reproduction | None
) -> CheckResult:
    def result(
        finding: ClaimFinding, reason: str | None = None, **figures: float | None
    ) -> CheckResult:
        return CheckResult(
            finding=finding,
            experiment=check.experiment,
            metric=check.metric,
            parameters=check.parameters,
            of=check.of,
            against=against,
            expected=_expected(check),
            reason=reason,
            **figures,  # type: ignore[arg-type]
        )

    cells = []
    for system in filter(None, (check.of, against)):
        cell = _find_cell(check, system, study, run)
        is_number = cell is not None and (cell.find_values(check.metric) or _is_zero(check, cell))
        if cell is None or not is_number:
            return result(ClaimFinding.NOT_MEASURED, f"There is no result of {system}.")
        cells.append(cell)
    zeros = [_is_zero(check, cell) for cell in cells]
    if any(zeros):
        return result(_judge_zero(check, zeros), "It failed at the lowest rate.")
    if excluded := _find_exclusion(check.metric, cells):
        return result(ClaimFinding.INCONCLUSIVE, excluded)
    first = cells[0].find_values(check.metric)
    if against is None:
        centre = estimate_of(check.metric, first)
        finding = _inside(centre.low, centre.high, check.between or (0, 0))
        return result(
            finding, None, value=centre.estimate, low=centre.low, high=centre.high, n=centre.n
        )
    ratio = compare_values(
        first, cells[1].find_values(check.metric), METRICS[check.metric].direction, interleaved=True
    )
    if ratio is None:
        return result(ClaimFinding.INCONCLUSIVE, "A value is 0, so there is no ratio.")
    compared = ratio.comparison
    return result(
        _judge_ratio(check, compared),
        None,
        value=compared.ratio,
        low=compared.low,
        high=compared.high,
        n=ratio.n,
    )


def _find_cell(
    check: Check, system: str, study: StudyManifest, run: Reproduction | None
) -> MeasuredCell | None:
    framework = study.frameworks.get(system)
    if run is None or framework is None:
        return None
    return run.find(study.experiments[check.experiment], framework, check.parameters)


def _is_zero(check: Check, cell: MeasuredCell) -> bool:
    return check.metric is Metric.SUSTAINED_RPS and cell.sustains_nothing


def _judge_zero(check: Check, zeros: Sequence[bool]) -> ClaimFinding:
    """Decide a check with zeros: a zero is less than any other value; two zeros decide nothing."""
    if check.relation is None:
        return ClaimFinding.DOES_NOT_HOLD
    if all(zeros):
        return ClaimFinding.INCONCLUSIVE
    is_less = zeros[0]
    holds = is_less == (check.relation == "less") and check.relation != "alike"
    return ClaimFinding.HOLDS if holds else ClaimFinding.DOES_NOT_HOLD


def _find_exclusion(metric: Metric, cells: Sequence[MeasuredCell]) -> str | None:
    """Return why a value is unreliable, or None. A success ratio is reliable even if small."""
    if metric is Metric.SUCCESS_RATIO:
        return None
    named = sorted({verdict.value for cell in cells if cell.excluded for verdict in cell.verdicts})
    return f"Excluded by a verdict: {', '.join(named)}." if named else None


def _judge_ratio(check: Check, compared: Comparison) -> ClaimFinding:
    low, high = compared.low, compared.high
    if check.relation == "alike":
        return _inside(low, high, (1 / check.within, check.within))
    if low is not None and high is not None and check.relation == "less":
        low, high = 1 / high, 1 / low
    least, most = check.by or (EQUIVALENCE_RATIO, float("inf"))
    if check.by is None and low is not None and high is not None and low > 1:
        # A small but significant difference counts, unless it is within equivalence.
        return ClaimFinding.HOLDS if high > EQUIVALENCE_RATIO else ClaimFinding.DOES_NOT_HOLD
    return _inside(low, high, (least, most))


def _inside(low: float | None, high: float | None, bounds: tuple[float, float]) -> ClaimFinding:
    """Decide whether an interval lies within the bounds, outside of them, or across a bound."""
    if low is None or high is None:
        return ClaimFinding.INCONCLUSIVE
    least, most = bounds
    if least <= low and high <= most:
        return ClaimFinding.HOLDS
    return ClaimFinding.DOES_NOT_HOLD if high < least or low > most else ClaimFinding.INCONCLUSIVE


def _expected(check: Check) -> str:
    """Return a short text of the check for users."""
    if check.between is not None:
        return f"{check.between[0]:g} to {check.between[1]:g}"
    if check.relation == "alike":
        return f"alike, within {check.within:g}×"
    if check.by is None:
        return str(check.relation)
    least, most = check.by
    return f"{check.relation}, {least:g}× to {most:g}×"

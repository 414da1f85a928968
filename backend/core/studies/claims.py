"""Check the claims of a study against measured results, as pure functions.

A claim holds if all its checks hold, and does not hold if one check does not. Each ratio is tested
with its 95 % interval. If the interval does not decide, the check is inconclusive. With fewer than
ENOUGH_TRIALS trials no check is decided.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backend.core.catalog.study import Experiment, StudyManifest
from backend.core.catalog.study_claims import Check, PublishedClaim
from backend.core.measurements.verdicts import ENOUGH_TRIALS, find_exclusions
from backend.core.ranking.pairs import compare_values
from backend.core.results.loads import name_parameter
from backend.core.statistics.comparison import EQUIVALENCE_RATIO, Comparison, Instrument
from backend.core.studies.findings import (
    CheckResult,
    ClaimFinding,
    ClaimResult,
    decide_within,
)
from backend.core.studies.measured import MeasuredCell, Reproduction, estimate_of
from backend.core.studies.sustained_claims import judge_rates
from backend.core.units import METRICS, Metric


@dataclass(frozen=True)
class _Side:
    """One value of a check: a metric of a system under a load."""

    experiment: Experiment
    parameters: Mapping[str, int]
    metric: Metric
    system: str


# A check that does not hold decides its claim. Findings that more trials cannot change come next.
_ORDER = (
    ClaimFinding.DOES_NOT_HOLD,
    ClaimFinding.NOT_MEASURED,
    ClaimFinding.UNDECIDABLE,
    ClaimFinding.INCONCLUSIVE,
    ClaimFinding.HOLDS,
)


def judge_claim(
    claim: PublishedClaim, study: StudyManifest, run: Reproduction | None
) -> ClaimResult:
    """Return the result of a claim for a run."""
    if not claim.checks:
        return ClaimResult(ClaimFinding.NOT_CHECKABLE, [])
    checks = [
        _judge(check, sides, study, run)
        for check in claim.checks
        for sides in _list_sides(check, study)
    ]
    found = {check.finding for check in checks}
    finding = next(finding for finding in _ORDER if finding in found)
    deciding = next(check for check in checks if check.finding is finding)
    return ClaimResult(finding, checks, deciding)


def _list_sides(check: Check, study: StudyManifest) -> list[tuple[_Side, ...]]:
    """Return the value of each comparison in a check, with its other value if there is one."""
    experiments = study.experiments
    first = _Side(experiments[check.experiment], check.parameters, check.metric, check.of)
    if not check.is_comparison:
        return [(first,)]
    parameters = check.against_parameters
    other = _Side(
        experiments[check.against_experiment or check.experiment],
        check.parameters if parameters is None else parameters,
        check.against_metric or check.metric,
        check.of,
    )
    return [(first, replace(other, system=system)) for system in check.against or (check.of,)]


def _judge(
    check: Check, sides: Sequence[_Side], study: StudyManifest, run: Reproduction | None
) -> CheckResult:
    blank = CheckResult(
        finding=ClaimFinding.NOT_MEASURED,
        label=_label(sides),
        metric=check.metric,
        is_ratio=check.is_comparison,
        expected=_expected(check),
    )
    cells = []
    for side in sides:
        cell = _find_cell(side, study, run)
        if run is not None and not run.has_load(side.experiment, side.parameters):
            reason = f"The {run.variant} variant does not measure this load."
            return replace(blank, finding=ClaimFinding.UNDECIDABLE, reason=reason)
        if cell is None or not (cell.find_values(side.metric) or _is_zero(side, cell)):
            return replace(blank, reason=f"There is no result of {side.system}.")
        cells.append(cell)
    if excluded := _find_exclusion(check.metric, cells):
        return replace(blank, finding=ClaimFinding.INCONCLUSIVE, reason=excluded)
    if check.metric is Metric.SUSTAINED_RPS and run is not None:
        return _await_trials(judge_rates(check, cells, blank, run.variant))
    if len(sides) == 1:
        return _await_trials(_judge_value(check, cells[0], blank))
    return _await_trials(_judge_two(check, sides, cells, blank))


def _judge_value(check: Check, cell: MeasuredCell, blank: CheckResult) -> CheckResult:
    centre = estimate_of(check.metric, cell.find_values(check.metric))
    finding = decide_within(centre.low, centre.high, check.between or (0, 0))
    return replace(
        blank,
        finding=finding,
        value=centre.estimate,
        low=centre.low,
        high=centre.high,
        n=centre.n,
    )


def _judge_two(
    check: Check, sides: Sequence[_Side], cells: Sequence[MeasuredCell], blank: CheckResult
) -> CheckResult:
    first, second = (cell.find_values(side.metric) for side, cell in zip(sides, cells, strict=True))
    one, other = (
        cell.instrument.describe(side.metric, cell.kind)
        for side, cell in zip(sides, cells, strict=True)
    )
    instrument = one.combine(other)
    ratio = compare_values(
        first,
        second,
        METRICS[check.metric].direction,
        interleaved=True,
        instrument=instrument,
    )
    if ratio is None:
        reason = "A value is 0, so there is no ratio."
        return replace(blank, finding=ClaimFinding.INCONCLUSIVE, reason=reason, n=len(first))
    compared = ratio.comparison
    return replace(
        blank,
        finding=_judge_ratio(check, compared, instrument),
        value=compared.ratio,
        low=compared.low,
        high=compared.high,
        n=ratio.n,
    )


def _await_trials(result: CheckResult) -> CheckResult:
    """Return the result, undecided if it has too few trials."""
    if result.n >= ENOUGH_TRIALS or result.reason is not None:
        return result
    trials = "1 trial" if result.n == 1 else f"{result.n} trials"
    reason = f"Only {trials}; a claim is decided by at least {ENOUGH_TRIALS}."
    return replace(result, finding=ClaimFinding.INCONCLUSIVE, reason=reason)


def _find_cell(side: _Side, study: StudyManifest, run: Reproduction | None) -> MeasuredCell | None:
    framework = study.frameworks.get(side.system)
    if run is None or framework is None:
        return None
    return run.find(side.experiment, framework, side.parameters)


def _is_zero(side: _Side, cell: MeasuredCell) -> bool:
    return side.metric is Metric.SUSTAINED_RPS and cell.sustains_nothing


def _find_exclusion(metric: Metric, cells: Sequence[MeasuredCell]) -> str | None:
    """Return why a value is unreliable, or None. A success ratio is reliable even if small."""
    if metric is Metric.SUCCESS_RATIO:
        return None
    found = find_exclusions({verdict for cell in cells for verdict in cell.verdicts}, metric)
    shown = ", ".join(sorted(verdict.words for verdict in found))
    return f"Excluded from ranking: {shown}." if found else None


def _judge_ratio(check: Check, compared: Comparison, instrument: Instrument) -> ClaimFinding:
    ratio, low, high = compared.ratio, compared.low, compared.high
    if check.relation == "alike":
        return decide_within(low, high, (1 / check.within, check.within))
    if ratio is None or low is None or high is None:
        return ClaimFinding.INCONCLUSIVE
    if check.relation == "less":
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    bounds = check.ratio_bounds
    if bounds is None and low > 1:
        # A small but significant difference counts, unless it is within equivalence. A difference
        # that is too small for the host decides nothing.
        if high <= EQUIVALENCE_RATIO:
            return ClaimFinding.DOES_NOT_HOLD
        is_detectable = ratio >= instrument.detectable_ratio
        return ClaimFinding.HOLDS if is_detectable else ClaimFinding.INCONCLUSIVE
    return decide_within(low, high, bounds or (EQUIVALENCE_RATIO, float("inf")))


def _label(sides: Sequence[_Side]) -> str:
    """Name what is compared: what both sides share, then what differs."""
    named = [(METRICS[side.metric].title, _load_name(side), side.system) for side in sides]
    if len(named) == 1:
        return ", ".join(named[0])
    first, second = named
    shared = [one for one, other in zip(first, second, strict=True) if one == other]
    differing = [
        [value for value, other in zip(side, against, strict=True) if value != other]
        for side, against in ((first, second), (second, first))
    ]
    return f"{', '.join(shared)}: {' ÷ '.join(', '.join(values) for values in differing)}"


def _load_name(side: _Side) -> str:
    values = [name_parameter(name, value) for name, value in side.parameters.items()]
    return ", ".join([side.experiment.name, *values])


def _expected(check: Check) -> str:
    """Return a short text of the check for users."""
    if check.between is not None:
        least, most = check.between
        if check.metric is Metric.SUSTAINED_RPS:
            # Steps show only a rate that a service sustained, and the next, which it did not.
            return f"at least {least:g} and below {most:g}"
        return f"{least:g} to {most:g}"
    if check.relation == "alike":
        return f"alike, within {check.within:g}×"
    if check.about is not None:
        return f"{check.relation}, about {check.about:g}× ± {check.stated_tolerance:.0%}"
    if check.by is None:
        return str(check.relation)
    least, most = check.by
    return f"{check.relation}, {least:g}× to {most:g}×"

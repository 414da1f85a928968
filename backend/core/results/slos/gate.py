"""The gate: check a run against the limits, as a pure function."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS
from backend.core.models import Slo
from backend.core.results.cell_result import CellResult
from backend.core.units import METRICS, Direction, Metric


@dataclass(frozen=True)
class SloCheck:
    """The check of one limit against one cell; `detail` explains the result."""

    slo: Slo
    result: CellResult
    estimate: float | None
    passed: bool
    detail: str


def check_results(slos: Sequence[Slo], results: Sequence[CellResult]) -> list[SloCheck]:
    """Check every limit against every result it applies to, in the order of the results.

    The estimate decides. A missing or excluded result does not meet a limit, because a gate must
    not pass what it cannot check. If the interval includes the limit, the detail reports it.
    """
    return [
        _check(slo, result, slo.metric)
        for result in results
        for slo in slos
        if slo.scenario == result.summary.scenario
        and slo.framework in {None, result.summary.framework}
        and slo.profile in {None, result.summary.profile}
    ]


def _check(slo: Slo, result: CellResult, metric: Metric) -> SloCheck:
    found = result.estimates.get(metric)
    if found is None:
        return SloCheck(slo, result, None, False, "No trial has this metric.")
    if result.summary.excluded:
        detail = "A verdict excludes this cell's numbers, so they meet no limit."
        return SloCheck(slo, result, found.estimate, False, detail)
    if found.is_bound:
        detail = "The value is only a lower bound, so it meets no limit."
        return SloCheck(slo, result, found.estimate, False, detail)
    is_more = METRICS[metric].direction is Direction.HIGHER
    passed = found.estimate >= slo.limit if is_more else found.estimate <= slo.limit
    detail = "Within the limit." if passed else "Beyond the limit."
    if found.low is None or found.high is None:
        detail += f" Fewer than {MIN_INTERVAL_TRIALS} trials give no interval."
    elif found.low <= slo.limit <= found.high:
        detail += " The interval includes the limit; more trials would narrow it."
    return SloCheck(slo, result, found.estimate, passed, detail)

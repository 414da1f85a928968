"""The gate: check a run against the limits, as a pure function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS, Estimate
from backend.core.models import Slo
from backend.core.units import METRICS, Direction, Metric


@dataclass(frozen=True)
class JudgedCell:
    """The properties of a cell of an ended run that the gate checks."""

    id: UUID
    framework: str
    scenario: str
    profile: str
    estimates: Mapping[Metric, Estimate]
    excluded: bool


@dataclass(frozen=True)
class SloCheck:
    """The check of one limit against one cell; `detail` explains the result."""

    slo: Slo
    cell: JudgedCell
    estimate: float | None
    passed: bool
    detail: str


def check_cells(slos: Sequence[Slo], cells: Sequence[JudgedCell]) -> list[SloCheck]:
    """Check every limit against every cell it applies to, in the order of the cells.

    The estimate decides. A missing or excluded result does not meet a limit, because a gate must
    not pass what it cannot check. If the interval includes the limit, the detail reports it.
    """
    return [
        _check(slo, cell, slo.metric)
        for cell in cells
        for slo in slos
        if slo.scenario == cell.scenario
        and slo.framework in {None, cell.framework}
        and slo.profile in {None, cell.profile}
    ]


def _check(slo: Slo, cell: JudgedCell, metric: Metric) -> SloCheck:
    found = cell.estimates.get(metric)
    if found is None:
        return SloCheck(slo, cell, None, False, "No trial has this metric.")
    if cell.excluded:
        detail = "A verdict excludes this cell's numbers, so they meet no limit."
        return SloCheck(slo, cell, found.estimate, False, detail)
    if found.is_bound:
        detail = "The value is only a lower bound, so it meets no limit."
        return SloCheck(slo, cell, found.estimate, False, detail)
    is_more = METRICS[metric].direction is Direction.HIGHER
    passed = found.estimate >= slo.limit if is_more else found.estimate <= slo.limit
    detail = "Within the limit." if passed else "Beyond the limit."
    if found.low is None or found.high is None:
        detail += f" Fewer than {MIN_INTERVAL_TRIALS} trials give no interval."
    elif found.low <= slo.limit <= found.high:
        detail += " The interval includes the limit; more trials would narrow it."
    return SloCheck(slo, cell, found.estimate, passed, detail)

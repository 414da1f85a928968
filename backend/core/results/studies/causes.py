"""Find why a check of a claim does not hold or is undecided; pure.

The cause follows from the results and from what the study's file declares, so that nobody enters
it for a recording.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from backend.core.catalog.study import StudyManifest
from backend.core.measurement.measurements.verdicts import UNSTEADY, find_exclusions
from backend.core.numbers import count_of
from backend.core.results.studies.findings import CheckResult, ClaimFinding, FindingCause
from backend.core.results.studies.measured import MeasuredCell
from backend.core.statuses import StudyVariant
from backend.core.units import Metric, Verdict

# The CPUs of the host limited the service, or the load generator.
_TOO_SMALL = frozenset({Verdict.SERVICE_SATURATED, Verdict.GENERATOR_SATURATED})


def list_unexpected_exclusions(
    study: StudyManifest, variant: StudyVariant, cell: MeasuredCell, metric: Metric
) -> list[Verdict]:
    """Return the verdicts that exclude a metric of a cell, unless they are the study's point.

    A service that answers too few requests has no steady state. A declared verdict about the steady
    state counts for such a service only.
    """
    load = (cell.scenario, cell.profile)
    declared = {
        verdict
        for expected in study.list_expected_exclusions(
            variant, load, cell.framework, cell.parameters
        )
        for verdict in expected.verdicts
        if cell.is_unresponsive or verdict not in UNSTEADY
    }
    return [
        verdict for verdict in find_exclusions(cell.verdicts, metric) if verdict not in declared
    ]


def find_exclusion_cause(
    exclusions: Collection[Verdict], cells: Iterable[MeasuredCell]
) -> FindingCause:
    """Return the cause of a check whose results are excluded by these verdicts, at least one."""
    is_overloaded = any(cell.is_limited_by_cpu for cell in cells)
    if _TOO_SMALL.intersection(exclusions) or is_overloaded:
        return FindingCause.HOST_TOO_SMALL
    if UNSTEADY.intersection(exclusions):
        return FindingCause.NOT_STEADY
    return FindingCause.EXCLUDED


def add_cause(
    found: CheckResult, study: StudyManifest, systems: Sequence[str], cells: Sequence[MeasuredCell]
) -> CheckResult:
    """Return a check that was compared with its cause, unless it holds.

    Args:
        systems: of the check, in the order of `cells`.
    """
    if found.finding is ClaimFinding.HOLDS or found.cause is not None:
        return found
    if found.finding is ClaimFinding.UNDECIDED:
        return replace(found, cause=FindingCause.INTERVAL_TOO_WIDE)
    for system in systems:
        if instead := study.get_system(system).measured_instead:
            reason = f"The study measured {system}, and this is {instead}."
            return replace(found, cause=FindingCause.DIFFERENT_SYSTEM, reason=reason)
    for system, cell in zip(systems, cells, strict=True):
        if limit := _find_limit(study, system, cell):
            return replace(found, cause=FindingCause.HOST_TOO_SMALL, reason=limit)
    return replace(found, cause=FindingCause.CONTRADICTED)


def _find_limit(study: StudyManifest, system: str, cell: MeasuredCell) -> str | None:
    """Return how the CPUs of the host limited a service more than the study's; None if not.

    A study that does not state its CPUs may have had more.
    """
    needed, cpus = study.get_system(system).cpus, cell.service_cpus
    available = count_of(cpus, "CPU")
    if needed is not None and 0 < cpus < needed:
        return f"{system} needs {needed} CPUs, and had {available}."
    had_more = study.source.cpus is None or study.source.cpus > cpus
    if cell.is_limited_by_cpu and had_more:
        return f"{system} used {available} in full. A host with more may serve this load."
    return None

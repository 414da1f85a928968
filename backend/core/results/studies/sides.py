"""The values that a check of a claim compares, and how they are named for users; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backend.core.catalog.study import Experiment, StudyManifest
from backend.core.catalog.study_claims import Check
from backend.core.results.loads import name_parameter
from backend.core.results.studies.findings import MeasuredValue
from backend.core.results.studies.measured import MeasuredCell, Reproduction, Values, estimate_of
from backend.core.units import METRICS, Metric


@dataclass(frozen=True)
class Side:
    """One value of a check: a metric of a system under a load.

    With several systems, the value is their spread: the greatest divided by the least.
    """

    experiment: Experiment
    parameters: Mapping[str, int]
    metric: Metric
    systems: Sequence[str]

    def find_cells(self, study: StudyManifest, run: Reproduction) -> list[MeasuredCell]:
        """Return the cell of each system that has a value; those without one are left out."""
        frameworks = [study.frameworks.get(system) for system in self.systems]
        found = [
            run.find(self.experiment, framework, self.parameters)
            for framework in frameworks
            if framework is not None
        ]
        return [cell for cell in found if cell is not None and self._has_value(cell)]

    def _has_value(self, cell: MeasuredCell) -> bool:
        """Return whether a cell has values. A service may also sustain no rate at all."""
        is_zero = self.metric is Metric.SUSTAINED_RPS and cell.sustains_nothing
        return is_zero or bool(cell.find_values(self.metric))


def list_sides(check: Check, study: StudyManifest) -> list[tuple[Side, ...]]:
    """Return the value of each comparison in a check, with its other value if there is one."""
    experiments = study.experiments
    systems = (check.of, *check.among)
    first = Side(experiments[check.experiment], check.parameters, check.metric, systems)
    if not check.is_comparison:
        return [(first,)]
    parameters = check.against_parameters
    other = Side(
        experiments[check.against_experiment or check.experiment],
        check.parameters if parameters is None else parameters,
        check.against_metric or check.metric,
        systems,
    )
    if not check.against:
        return [(first, other)]
    return [(first, replace(other, systems=(system,))) for system in check.against]


def read_values(side: Side, cells: Sequence[MeasuredCell]) -> Values:
    """Return the values of a side by repetition: those of its system, or the spread of several.

    Args:
        cells: of each system of the side.
    """
    found = [cell.find_values(side.metric) for cell in cells]
    if len(found) == 1:
        return found[0]
    shared = set[int].intersection(*(set(values) for values in found))
    spreads = {}
    for repetition in sorted(shared):
        values = [of_system[repetition] for of_system in found]
        if min(values) > 0:
            spreads[repetition] = max(values) / min(values)
    return spreads


def list_measured(
    study: StudyManifest, sides: Sequence[Side], cells: Sequence[Sequence[MeasuredCell]]
) -> list[MeasuredValue]:
    """Return the estimate of each system of a check that has one, without repetition.

    A framework that is not the system of the study has its own name.
    """
    found: dict[MeasuredValue, None] = {}
    for side, of_side in zip(sides, cells, strict=True):
        for system, cell in zip(side.systems, of_side, strict=True):
            if values := cell.find_values(side.metric):
                name = study.get_system(system).measured_instead or system
                found[MeasuredValue(name, estimate_of(side.metric, values).estimate)] = None
    return [*found]


def label_sides(sides: Sequence[Side]) -> str:
    """Name what is compared: what both sides share, then what differs."""
    named = [_name_parts(side) for side in sides]
    if len(named) == 1:
        return ", ".join(named[0])
    first, second = named
    shared = [one for one, other in zip(first, second, strict=True) if one == other]
    differing = [
        [value for value, other in zip(side, against, strict=True) if value != other]
        for side, against in ((first, second), (second, first))
    ]
    return f"{', '.join(shared)}: {' ÷ '.join(', '.join(values) for values in differing)}"


def _name_parts(side: Side) -> tuple[str, str, str]:
    values = [name_parameter(name, value) for name, value in side.parameters.items()]
    title, load = METRICS[side.metric].title, ", ".join([side.experiment.name, *values])
    if len(side.systems) == 1:
        return title, load, side.systems[0]
    return title, load, f"greatest ÷ least of {', '.join(side.systems)}"


def describe_expectation(check: Check) -> str:
    """Return a short text of the check for users."""
    if check.between is not None:
        least, most = check.between
        if check.metric is Metric.SUSTAINED_RPS:
            # Steps show only a rate that a service sustained, and the next, which it did not.
            return f"at least {least:g} and below {most:g}"
        return f"{least:g} to {most:g}"
    if check.relation in ("alike", "differ"):
        is_alike = check.relation == "alike"
        return f"alike, within {check.within:g}×" if is_alike else "a difference"
    if check.about is not None:
        return f"{check.relation}, about {check.about:g}× ± {check.stated_tolerance:.0%}"
    if check.by is None:
        return str(check.relation)
    least, most = check.by
    return f"{check.relation}, {least:g}× to {most:g}×"

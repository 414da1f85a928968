"""Results of a run that reproduces a study, looked up by the study's terms; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from backend.core.catalog.study import Experiment
from backend.core.measurement.instrument.disagreement import NO_ERROR, InstrumentError
from backend.core.measurement.measurements.verdicts import is_full
from backend.core.measurement.statistics.estimate import Estimate, estimate
from backend.core.measurement.statistics.rates import RateBounds, find_rate_bounds
from backend.core.statuses import StudyVariant
from backend.core.units import METRICS, Metric, ProfileKind, Verdict

# A service with a lower success ratio is unresponsive.
RESPONSIVE_RATIO = 0.9

Values = Mapping[int, float]


@dataclass(frozen=True)
class MeasuredStep:
    """One rate of a load in steps: mean latency by repetition, of the trials that reached it.

    `passed` is whether most of these trials passed the step. `cpu_cores` is the CPU time of the
    service in a second; None if it was not measured.
    """

    latency_mean_ms: Values
    passed: bool
    cpu_cores: float | None = None


@dataclass(frozen=True)
class MeasuredCell:
    """A cell of the run; `steps` by rate, for a load in steps only.

    `service_cpus` is the number of CPUs of the service, 0 if it is not known. `instrument` holds
    the errors of the host and its load generator.
    """

    cell_id: UUID
    framework: str
    scenario: str
    profile: str
    kind: ProfileKind
    parameters: Mapping[str, int]
    values: Mapping[Metric, Values]
    trials_succeeded: int
    trials_open: int
    failure: str | None
    verdicts: Sequence[Verdict]
    steps: Mapping[int, MeasuredStep] = field(default_factory=dict)
    service_cpus: int = 0
    instrument: InstrumentError = NO_ERROR

    @property
    def is_unresponsive(self) -> bool:
        """Return whether the success ratio is too low for latencies to mean anything."""
        ratios = self.values.get(Metric.SUCCESS_RATIO)
        if not ratios:
            return False
        return estimate_of(Metric.SUCCESS_RATIO, ratios).estimate < RESPONSIVE_RATIO

    @property
    def is_limited_by_cpu(self) -> bool:
        """Return whether the service used all its CPUs although the load did not adapt to it.

        A closed load without a pause always uses all that a service has. Other loads send what the
        study sent, and a host with more CPUs may serve it.
        """
        is_closed = self.kind in (ProfileKind.SATURATE, ProfileKind.COUNT) or (
            self.kind is ProfileKind.USERS and not self.parameters.get("pause_ms")
        )
        return not is_closed and is_full(self._find_cpu_cores(), self.service_cpus)

    def _find_cpu_cores(self) -> float:
        """Return the CPU time of a second: in the last step of a load in steps, or on average."""
        if self.steps:
            return self.steps[max(self.steps)].cpu_cores or 0.0
        cores = self.values.get(Metric.CPU_CORES)
        return estimate_of(Metric.CPU_CORES, cores).estimate if cores else 0.0

    @property
    def sustains_nothing(self) -> bool:
        """Return whether a load in steps failed at its first rate in every trial."""
        return bool(self.steps) and Metric.SUSTAINED_RPS not in self.values

    @property
    def rates(self) -> RateBounds | None:
        """Return the bounds of the sustained rate; None without a trial that passed a step."""
        passed = self.values.get(Metric.SUSTAINED_RPS, {})
        return find_rate_bounds(passed.values(), self.trials_succeeded, self.parameters)

    def find_estimate(self, metric: Metric) -> Estimate:
        """Return the estimate of a metric over its trials. At least one of them has a value."""
        rates = self.rates if metric is Metric.SUSTAINED_RPS else None
        return rates.estimate if rates else estimate_of(metric, self.find_values(metric))

    def find_values(self, metric: Metric, step_rps: int | None = None) -> Values:
        """Return values by repetition; empty if there are none."""
        if step_rps is None:
            return self.values.get(metric, {})
        step = self.steps.get(step_rps)
        return step.latency_mean_ms if step and metric is Metric.LATENCY_MEAN_MS else {}


@dataclass(frozen=True)
class Reproduction:
    """All cells of a run that reproduces a variant of a study."""

    variant: StudyVariant
    cells: Sequence[MeasuredCell]

    def find(
        self, experiment: Experiment, framework: str, parameters: Mapping[str, int]
    ) -> MeasuredCell | None:
        """Return the cell of a load whose parameters include these."""
        found = self._list_cells(experiment, parameters)
        return next((cell for cell in found if cell.framework == framework), None)

    def has_load(self, experiment: Experiment, parameters: Mapping[str, int]) -> bool:
        """Return whether the run puts this load on any system."""
        return bool(self._list_cells(experiment, parameters))

    def _list_cells(
        self, experiment: Experiment, parameters: Mapping[str, int]
    ) -> list[MeasuredCell]:
        return [
            cell
            for cell in self.cells
            if cell.scenario == experiment.scenario
            and experiment.includes(self.variant, cell.profile, cell.parameters)
            and all(cell.parameters.get(name) == value for name, value in parameters.items())
        ]


def estimate_of(metric: Metric, values: Values) -> Estimate:
    """Return the estimate of a metric over these trials, at least one."""
    return estimate([*values.values()], METRICS[metric].aggregation)

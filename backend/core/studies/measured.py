"""What a run that reproduces a study measured, looked up as the study names it; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from backend.core.catalog.study import Experiment
from backend.core.comparison.stats import Estimate, estimate
from backend.core.units import METRICS, Metric, Verdict

# Below this share of good answers a study calls a service unresponsive.
RESPONSIVE_RATIO = 0.9

Values = Mapping[int, float]


@dataclass(frozen=True)
class MeasuredStep:
    """One rate of a load in steps: repetition to mean latency, of the trials that came there.

    `passed` says whether most of those did.
    """

    latency_mean_ms: Values
    passed: bool


@dataclass(frozen=True)
class MeasuredCell:
    """A cell of the run; `steps` by rate, for a load in steps only."""

    cell_id: UUID
    framework: str
    scenario: str
    profile: str
    parameters: Mapping[str, int]
    values: Mapping[Metric, Values]
    trials_succeeded: int
    trials_failed: int
    trials_open: int
    failure: str | None
    verdicts: Sequence[Verdict]
    excluded: bool
    steps: Mapping[int, MeasuredStep] = field(default_factory=dict)

    @property
    def is_unresponsive(self) -> bool:
        """Whether too few of its requests were answered well, whatever the others took."""
        ratios = self.values.get(Metric.SUCCESS_RATIO)
        if not ratios:
            return False
        return estimate_of(Metric.SUCCESS_RATIO, ratios).estimate < RESPONSIVE_RATIO

    @property
    def sustains_nothing(self) -> bool:
        """Whether a load in steps failed at its first rate in every trial."""
        return bool(self.steps) and Metric.SUSTAINED_RPS not in self.values

    def find_values(self, metric: Metric, step_rps: int | None = None) -> Values:
        """Repetition to value; empty where there is none."""
        if step_rps is None:
            return self.values.get(metric, {})
        step = self.steps.get(step_rps)
        return step.latency_mean_ms if step and metric is Metric.LATENCY_MEAN_MS else {}


@dataclass(frozen=True)
class Reproduction:
    """All cells of a run that reproduces a study in a variant."""

    variant: str
    cells: Sequence[MeasuredCell]

    def find(
        self, experiment: Experiment, framework: str, parameters: Mapping[str, int]
    ) -> MeasuredCell | None:
        """The cell of that load with these parameters among its own."""
        return next(
            (
                cell
                for cell in self.cells
                if (cell.framework, cell.scenario) == (framework, experiment.scenario)
                and cell.profile == f"{experiment.profile}-{self.variant}"
                and all(cell.parameters.get(name) == value for name, value in parameters.items())
            ),
            None,
        )


def estimate_of(metric: Metric, values: Values) -> Estimate:
    """The metric's centre and interval over these trials, at least one."""
    return estimate([*values.values()], METRICS[metric].aggregation)

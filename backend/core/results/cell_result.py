"""The result of a cell, as one type for pages, rankings, comparisons, leaderboards and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backend.core.documents import TrialEnvironment
from backend.core.measurement.instrument.disagreement import NO_ERROR, InstrumentError
from backend.core.measurement.measurements.verdicts import find_exclusions, list_bounds
from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS, Estimate
from backend.core.measurement.statistics.rates import RateBounds, find_rate_bounds
from backend.core.models import Cell, CellSummary, Framework, Run, Scenario, Trial
from backend.core.numbers import name_in_sentence
from backend.core.units import Metric, ProfileKind, Verdict

# The value of a metric by repetition.
Values = Mapping[int, float]


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """The result of a cell: its summary, its estimates, and the values of its trials.

    Attributes:
        summary: its row of `cell_summary`. The row is not stored if the run is not finalized, or
            if no trial succeeded.
        host: name of the bench host.
        estimates: of the metrics that were read.
        values: of the succeeded trials, for the metrics that were read.
        environment: that of the first succeeded trial.
        instrument: the errors of the host and its load generator.
    """

    summary: CellSummary
    run: Run
    host: str
    framework: Framework
    scenario: Scenario
    estimates: Mapping[Metric, Estimate]
    values: Mapping[Metric, Values]
    environment: TrialEnvironment
    instrument: InstrumentError = NO_ERROR

    @property
    def kind(self) -> ProfileKind:
        return ProfileKind(self.summary.kind)

    @property
    def verdicts(self) -> list[Verdict]:
        """Return its verdicts, the most severe first."""
        return list_verdicts(self.summary)

    @property
    def bounds(self) -> set[Metric]:
        """Return the metrics whose values are only bounds, apart from a sustained rate."""
        return bounds_of(self.summary)

    @property
    def rates(self) -> RateBounds | None:
        """Return the bounds of the sustained rate; None for another load, and without a rate."""
        return find_rates(self.summary, self.values)

    def list_exclusions(self, metric: Metric) -> list[str]:
        """Return the verdicts that exclude it from ranking by a metric, as words."""
        return [verdict.words for verdict in find_exclusions(self.verdicts, metric)]


@dataclass(frozen=True, kw_only=True)
class RunCellResult(CellResult):
    """The result of a cell on the pages of its run.

    Attributes:
        name: of the framework; in a confirmation run with the build.
        trials: all trials of the cell, whatever their status.
    """

    cell: Cell
    name: str
    trials: Sequence[Trial]

    @property
    def name_in_sentence(self) -> str:
        """Return the name without commas outside of brackets."""
        return name_in_sentence(self.name)


def list_verdicts(summary: CellSummary) -> list[Verdict]:
    """Return the verdicts of a cell, the most severe first."""
    return [Verdict(warning["verdict"]) for warning in summary.verdicts]


def bounds_of(summary: CellSummary) -> set[Metric]:
    """Return the metrics whose values are only bounds in a cell, apart from a sustained rate."""
    return list_bounds(list_verdicts(summary))


def find_rates(summary: CellSummary, values: Mapping[Metric, Values]) -> RateBounds | None:
    """Return the bounds of a sustained rate; None for another load, and without a rate."""
    if summary.kind != ProfileKind.STEPS:
        return None
    passed = values.get(Metric.SUSTAINED_RPS, {}).values()
    return find_rate_bounds(passed, summary.trials_succeeded, summary.parameters)


def mark_estimates(
    summary: CellSummary, found: Mapping[Metric, Estimate], values: Mapping[Metric, Values]
) -> dict[Metric, Estimate]:
    """Return estimates of a cell with what no row of `cell_metric` holds.

    That is whether they are bounds, and the values of few trials, which are shown instead of an
    interval. The estimate of a sustained rate follows from its bounds.

    Args:
        found: estimates over the trials, computed or stored.
        values: of the metrics of these estimates.
    """
    bounds = bounds_of(summary)
    estimates = {
        metric: replace(
            own,
            values=tuple(values.get(metric, {}).values()) if own.n < MIN_INTERVAL_TRIALS else (),
            is_bound=metric in bounds,
        )
        for metric in Metric
        if (own := found.get(metric)) is not None
    }
    rates = find_rates(summary, values)
    if rates is not None:
        estimates[Metric.SUSTAINED_RPS] = rates.estimate
    return estimates

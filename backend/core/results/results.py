"""Results: finished cells of any runs, with all data for comparing them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.documents import TrialEnvironment
from backend.core.measurement.instrument.disagreement import NO_ERROR, InstrumentError
from backend.core.measurement.instrument.service import find_errors, select_error
from backend.core.measurement.measurements.verdicts import find_exclusions, list_bounds
from backend.core.measurement.statistics.estimate import MIN_INTERVAL_TRIALS, Estimate, estimate
from backend.core.measurement.statistics.rates import RateBounds, find_rate_bounds
from backend.core.models import CellSummary, Framework, Run, Scenario
from backend.core.results import repository
from backend.core.results.environment import Difference, differences
from backend.core.units import METRICS, Metric, ProfileKind, Verdict

# The number of trials that failed at the first step is known from those with a success ratio.
_NEEDED_METRICS = frozenset({Metric.SUCCESS_RATIO})
# Values by repetition.
Values = Mapping[int, float]


@dataclass(frozen=True)
class Result:
    """A cell of an ended run: its origin, its estimates, and the values of its trials."""

    cell: CellSummary
    run: Run
    host: str
    framework: Framework
    scenario: Scenario
    estimates: Mapping[Metric, Estimate]
    values: Mapping[Metric, Values]
    # That of the first succeeded trial.
    environment: TrialEnvironment
    instrument: InstrumentError = NO_ERROR

    @property
    def bounds(self) -> set[Metric]:
        """Return the metrics whose values are only bounds."""
        return bounds_of(self.cell)

    @property
    def rates(self) -> RateBounds | None:
        """Return the bounds of the sustained rate; None for another load, and without a rate."""
        return _find_rates(self.cell, self.values)

    def list_exclusions(self, metric: Metric) -> list[str]:
        """Return the verdicts that exclude it from ranking by a metric, as words."""
        verdicts = [Verdict(warning["verdict"]) for warning in self.cell.verdicts]
        return [verdict.words for verdict in find_exclusions(verdicts, metric)]


def bounds_of(cell: CellSummary) -> set[Metric]:
    """Return the metrics that are only bounds in a cell."""
    return list_bounds(Verdict(warning["verdict"]) for warning in cell.verdicts)


def _find_rates(cell: CellSummary, values: Mapping[Metric, Values]) -> RateBounds | None:
    if cell.kind != ProfileKind.STEPS:
        return None
    passed = values.get(Metric.SUSTAINED_RPS, {})
    # Each trial that counts has a success ratio.
    trials = len(values.get(Metric.SUCCESS_RATIO, passed))
    return find_rate_bounds(passed.values(), trials, cell.parameters)


def list_results(
    session: Session, cell_ids: Collection[UUID], metrics: Collection[Metric] = tuple(Metric)
) -> list[Result]:
    """Return the results of these cells ordered by id; cells without a result are left out.

    Args:
        metrics: the metrics to load.
    """
    rows = repository.list_cells(session, cell_ids)
    estimates = repository.list_estimates(session, cell_ids, metrics)
    values = repository.list_values(session, cell_ids, {*metrics, *_NEEDED_METRICS})
    environments = repository.list_environments(session, cell_ids)
    errors = find_errors(session, {row.host for row in rows})
    return [
        Result(
            cell=row.summary,
            run=row.run,
            host=row.host,
            framework=row.framework,
            scenario=row.scenario,
            estimates={
                metric: replace(
                    completed := _complete(
                        row.summary, metric, found, values.get(row.summary.cell_id, {})
                    ),
                    is_bound=completed.is_bound or metric in bounds_of(row.summary),
                )
                for metric, found in estimates.get(row.summary.cell_id, {}).items()
            },
            values=values.get(row.summary.cell_id, {}),
            environment=(environment := environments.get(row.summary.cell_id, {})),
            instrument=select_error(errors, row.host, environment.get("host_digest")),
        )
        for row in rows
    ]


def _complete(
    cell: CellSummary, metric: Metric, stored: Estimate, values: Mapping[Metric, Values]
) -> Estimate:
    """Return an estimate with the values that are shown instead of an interval.

    Older versions stored other estimates of sustained rates, and other intervals of shares, of two
    trials and of values with a zero.
    """
    rates = _find_rates(cell, values) if metric is Metric.SUSTAINED_RPS else None
    if rates is not None:
        return rates.estimate
    info, own = METRICS[metric], values.get(metric)
    is_negative = stored.low is not None and stored.low < 0
    if not own or (stored.n >= MIN_INTERVAL_TRIALS and not info.is_share and not is_negative):
        return stored
    return estimate([*own.values()], info.aggregation)


# A comparison is about different frameworks or versions. The cell has the runtime.
_TOLD_APART = frozenset({"framework", "runtime"})


def result_differences(one: Result, other: Result) -> list[Difference]:
    """Return the differences that prevent comparing two results; empty if they are comparable."""
    found = [Difference(*named) for named in _named(one, other) if named[1] != named[2]]
    same_scenario = one.cell.scenario == other.cell.scenario
    ignored = _TOLD_APART if same_scenario else _TOLD_APART | {"scenario"}
    return found + differences(one.environment, other.environment, ignored)


def _named(one: Result, other: Result) -> Sequence[tuple[str, str, str]]:
    """Return subject and both values of properties that environments do not contain."""
    ours, theirs = one.cell.parameters, other.cell.parameters
    loads = (one.cell.kind, other.cell.kind)
    return [
        ("scenario", one.scenario.name, other.scenario.name),
        ("host", one.host, other.host),
        ("runtime", one.cell.runtime, other.cell.runtime),
        ("load", *loads),
        *(
            (f"parameters.{name}", str(ours.get(name, "none")), str(theirs.get(name, "none")))
            for name in sorted({*ours, *theirs})
            if loads[0] == loads[1]
        ),
    ]

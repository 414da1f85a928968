"""Summarise the cells of a run: the estimate of each metric over the trials, and the warnings.

Every page, list and file takes the summary of a cell from here, so that they agree on it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from backend.core.documents import TrialEnvironment
from backend.core.measurement.measurements.verdicts import (
    EXCLUDING,
    NO_PROBLEM,
    ResultWarning,
    is_unsteady,
    judge_cell,
    judge_cost,
    list_bounds,
)
from backend.core.measurement.statistics.estimate import Estimate, estimate
from backend.core.measurement.statistics.rates import find_rate_bounds
from backend.core.models import Cell, Run, Trial
from backend.core.results.environment import OF_CELL, Difference, differences
from backend.core.statuses import TrialStatus
from backend.core.units import METRICS, Metric, ProfileKind, Verdict

Values = Mapping[UUID, Mapping[Metric, float]]
# Metrics that a summary needs in addition to those for which it has estimates.
NEEDED_METRICS = frozenset({Metric.CPU_CORES})


@dataclass(frozen=True)
class CellVerdict:
    """A verdict, with the number of the cell's trials that it affects."""

    verdict: Verdict
    detail: str
    trials: int


@dataclass(frozen=True)
class Summary:
    """The summary of a cell. An `excluded` cell is shown but not ranked."""

    trials_succeeded: int
    trials_failed: int
    estimates: dict[Metric, Estimate]
    verdicts: list[CellVerdict]
    excluded: bool


# Further differences are counted, so that the text stays short.
_NAMED_DIFFERENCES = 3
# A cell may request fewer cores than another. Within a cell the CPUs are compared.
_OF_CORES = frozenset({"cpus.service"})


@dataclass(frozen=True)
class RunSummaries:
    """The summaries of a run's cells by id, and the metrics of its trials by id."""

    cells: Mapping[UUID, Summary]
    metrics: Values


def summarise_run(run: Run, metrics: Values) -> RunSummaries:
    """Return the summaries of the cells of a run.

    Args:
        run: with its cells and trials.
        metrics: trial id to its metrics; those for which estimates are wanted, and
            `NEEDED_METRICS`.
    """
    trials_of = group_trials(run)
    across = _first_differences(_only_succeeded(run.trials), OF_CELL | _OF_CORES)
    cells = {
        cell.id: _summarise_cell(run, cell, trials_of[cell.id], metrics, across)
        for cell in run.cells
    }
    return RunSummaries(cells, metrics)


def group_trials(run: Run) -> dict[UUID, list[Trial]]:
    """Return the trials of each cell of a run by its id."""
    trials_of: dict[UUID, list[Trial]] = {cell.id: [] for cell in run.cells}
    for trial in run.trials:
        trials_of[trial.cell_id].append(trial)
    return trials_of


def _summarise_cell(
    run: Run,
    cell: Cell,
    trials: Sequence[Trial],
    metrics: Values,
    across: Sequence[Difference],
) -> Summary:
    """Return the estimates and verdicts of a cell.

    Args:
        trials: all of the cell's trials; only the succeeded ones count.
        across: differences between the conditions of the run's trials.
    """
    succeeded = _only_succeeded(trials)
    values: dict[Metric, list[float]] = {}
    for trial in succeeded:
        for metric, value in metrics.get(trial.id, {}).items():
            values.setdefault(metric, []).append(value)
    verdicts = _cell_verdicts(run, ProfileKind(cell.kind), succeeded, metrics, across)
    bounds = list_bounds(verdict.verdict for verdict in verdicts)
    estimates = {
        metric: replace(
            estimate(values[metric], METRICS[metric].aggregation), is_bound=metric in bounds
        )
        for metric in Metric
        if metric in values
    }
    passed = values.get(Metric.SUSTAINED_RPS, ())
    rates = find_rate_bounds(passed, len(succeeded), cell.parameters)
    if rates is not None:
        estimates[Metric.SUSTAINED_RPS] = rates.estimate
    return Summary(
        trials_succeeded=len(succeeded),
        trials_failed=sum(trial.status == TrialStatus.FAILED for trial in trials),
        estimates=estimates,
        verdicts=verdicts,
        excluded=any(verdict.verdict in EXCLUDING for verdict in verdicts),
    )


def _only_succeeded(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.status == TrialStatus.SUCCEEDED]


def _cell_verdicts(
    run: Run,
    kind: ProfileKind,
    succeeded: Sequence[Trial],
    metrics: Values,
    across: Sequence[Difference],
) -> list[CellVerdict]:
    if not succeeded:
        return []
    found: dict[Verdict, list[str]] = {}
    for trial in succeeded:
        for warning in trial.verdicts:
            found.setdefault(Verdict(warning["verdict"]), []).append(warning["detail"])
        cost = _judge_cost(kind, trial, metrics.get(trial.id, {}))
        if cost is not None:
            found.setdefault(cost.verdict, []).append(cost.detail)
    if not is_unsteady(len(found.get(Verdict.NEVER_STEADY, ())), len(succeeded)):
        found.pop(Verdict.NEVER_STEADY, None)
    # The members of the enum are in the order of their severity.
    verdicts = [
        CellVerdict(verdict, found[verdict][0], len(found[verdict]))
        for verdict in Verdict
        if verdict in found
    ]
    whole = [
        CellVerdict(warning.verdict, warning.detail, len(succeeded))
        for warning in (
            *([] if run.has_reached_goal else judge_cell(len(succeeded))),
            *_judge_sameness(_first_differences(succeeded, ()), across),
        )
    ]
    return [*verdicts, *whole] or [CellVerdict(Verdict.OK, NO_PROBLEM, len(succeeded))]


def _judge_cost(
    kind: ProfileKind, trial: Trial, metrics: Mapping[Metric, float]
) -> ResultWarning | None:
    service_cpus = len(trial.environment.get("cpus", {}).get("service", []))
    return judge_cost(kind, metrics.get(Metric.CPU_CORES), service_cpus)


def _judge_sameness(
    within: Sequence[Difference], across: Sequence[Difference]
) -> list[ResultWarning]:
    """Return warnings if conditions differ between the trials of the cell, or of its run."""
    whose = "this cell's trials" if within else "the results of this run"
    found = within or across
    of_runtime = [item for item in found if item.subject == "runtime"]
    others = [item for item in found if item.subject != "runtime"]
    warnings = []
    if of_runtime:
        named = f"{of_runtime[0].one} and {of_runtime[0].other}"
        warnings.append(
            ResultWarning(
                Verdict.RUNTIME_DIFFERS, f"Not all of {whose} ran in one runtime: {named}."
            )
        )
    if others:
        named = "; ".join(map(str, others[:_NAMED_DIFFERENCES]))
        left = len(others) - _NAMED_DIFFERENCES
        more = f"; and {left} more" if left > 0 else ""
        warnings.append(
            ResultWarning(Verdict.ENVIRONMENT_CHANGED, f"Not the same for {whose}: {named}{more}.")
        )
    return warnings


def _first_differences(trials: Sequence[Trial], ignoring: Collection[str]) -> list[Difference]:
    """Return the first difference from the first trial in each aspect."""
    found: dict[str, Difference] = {}
    compared: list[TrialEnvironment] = []
    for trial in trials:
        # Most trials have the environment of the trial before.
        if not compared or trial.environment != compared[-1]:
            compared.append(trial.environment)
    for environment in compared[1:]:
        for difference in differences(compared[0], environment, ignoring):
            found.setdefault(difference.subject, difference)
    return list(found.values())

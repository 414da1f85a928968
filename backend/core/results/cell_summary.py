"""Make the results of a run's cells from its trials, store them, and make them from their rows.

Every page, list and file takes the estimates and warnings of a cell from here or from these rows,
so that they agree on them.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from backend.core.documents import StoredCellWarning, TrialEnvironment
from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.measurements.verdicts import (
    EXCLUDING,
    NO_PROBLEM,
    ResultWarning,
    judge_cell,
    judge_cost,
    judge_unsteady_trials,
)
from backend.core.measurement.statistics.estimate import Estimate, deviation, estimate
from backend.core.models import Cell, CellMetric, CellSummary, Run, Trial
from backend.core.results.cell_result import RunCellResult, Values, mark_estimates
from backend.core.results.environment import OF_CELL, Difference, differences
from backend.core.row_insert import insert_rows
from backend.core.statuses import TrialStatus
from backend.core.units import METRICS, Metric, ProfileKind, Verdict

# Metrics by trial id.
TrialMetrics = Mapping[UUID, Mapping[Metric, float]]
# Metrics that a summary needs in addition to those for which it has estimates.
NEEDED_METRICS = frozenset({Metric.CPU_CORES, Metric.WINDOW_DRIFT_RATIO})

# Further differences are counted, so that the text stays short.
_NAMED_DIFFERENCES = 3
# A cell may request fewer cores than another. Within a cell the CPUs are compared.
_OF_CORES = frozenset({"cpus.service"})


@dataclass(frozen=True)
class RunSummaries:
    """The results of a run's cells in their order, and the metrics of its trials by id."""

    cells: Sequence[RunCellResult]
    metrics: TrialMetrics


def summarise_run(run: Run, metrics: TrialMetrics) -> RunSummaries:
    """Return the results of the cells of a run, computed from its trials.

    Args:
        run: with its host, cells and trials.
        metrics: those for which estimates are wanted, and `NEEDED_METRICS`.
    """
    across = _first_differences(_only_succeeded(run.trials), OF_CELL | _OF_CORES)
    found = []
    for part in _list_parts(run, metrics):
        summary = _summarise(run, part, _cell_verdicts(run, part, metrics, across))
        estimates = {
            metric: estimate([*values.values()], METRICS[metric].aggregation)
            for metric, values in part.values.items()
        }
        found.append(_to_result(run, part, summary, estimates))
    return RunSummaries(found, metrics)


def restore_run(
    run: Run,
    metrics: TrialMetrics,
    summaries: Mapping[UUID, CellSummary],
    estimates: Mapping[UUID, Mapping[Metric, Estimate]],
) -> RunSummaries:
    """Return what `summarise_run` returned when the run was finalized, from what was stored of it.

    Args:
        run: with its host, cells and trials.
        metrics: those for which there are estimates.
        summaries: by cell id; cells without a succeeded trial have none.
        estimates: by cell id.
    """
    found = []
    for part in _list_parts(run, metrics):
        cell_id = part.cell.id
        summary = summaries.get(cell_id) or _summarise(run, part, [])
        found.append(_to_result(run, part, summary, estimates.get(cell_id, {})))
    return RunSummaries(found, metrics)


def write_summaries(session: Session, run: Run) -> RunSummaries:
    """Store the result of every cell of an ended run that has a succeeded trial.

    Earlier rows are replaced.

    Args:
        run: with its cells (and their framework and scenario) and its trials.

    Returns:
        The results of all its cells.
    """
    metrics = measurements.list_metrics(session, [trial.id for trial in run.trials])
    found = summarise_run(run, metrics)
    stored = [result for result in found.cells if result.summary.trials_succeeded]
    rows = [
        _to_metric(result.summary, metric, centre, result.values[metric])
        for result in stored
        for metric, centre in result.estimates.items()
    ]
    session.execute(delete(CellSummary).where(CellSummary.run_id == run.id))
    session.add_all([result.summary for result in stored])
    session.flush()
    insert_rows(session, {CellMetric: rows})
    return found


def _to_metric(
    row: CellSummary, metric: Metric, found: Estimate, values: Values
) -> Mapping[str, object]:
    """Return the columns of the row of a metric. A large run has tens of thousands of rows.

    A bound has no logs, so it is in no test for changes. A sustained rate at the ceiling has logs:
    that a service no longer passes all steps is a change.
    """
    is_bound = found.is_bound and metric is not Metric.SUSTAINED_RPS
    has_logs = not is_bound and min(values.values()) > 0
    logs = list(map(log, values.values())) if has_logs else []
    return {
        "cell_id": row.cell_id,
        "metric": metric,
        "framework": row.framework,
        "scenario": row.scenario,
        "at": row.at,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "mean_log": fmean(logs) if logs else None,
        "sd_log": deviation(logs) if len(logs) > 1 else None,
    }


@dataclass(frozen=True)
class _Part:
    """A cell with its trials, and with the values of those that succeeded."""

    cell: Cell
    trials: Sequence[Trial]
    succeeded: Sequence[Trial]
    values: Mapping[Metric, Values]

    @property
    def environment(self) -> TrialEnvironment:
        return self.succeeded[0].environment if self.succeeded else {}


def _list_parts(run: Run, metrics: TrialMetrics) -> list[_Part]:
    parts = []
    trials_of = group_trials(run)
    for cell in run.cells:
        trials = trials_of[cell.id]
        succeeded = _only_succeeded(trials)
        values: dict[Metric, dict[int, float]] = {}
        for trial in succeeded:
            for metric, value in metrics.get(trial.id, {}).items():
                values.setdefault(metric, {})[trial.repetition] = value
        parts.append(_Part(cell, trials, succeeded, values))
    return parts


def group_trials(run: Run) -> dict[UUID, list[Trial]]:
    """Return the trials of each cell of a run by its id."""
    trials_of: dict[UUID, list[Trial]] = {cell.id: [] for cell in run.cells}
    for trial in run.trials:
        trials_of[trial.cell_id].append(trial)
    return trials_of


def _to_result(
    run: Run, part: _Part, summary: CellSummary, estimates: Mapping[Metric, Estimate]
) -> RunCellResult:
    cell = part.cell
    return RunCellResult(
        summary=summary,
        run=run,
        host=run.host.name,
        framework=cell.framework,
        scenario=cell.scenario,
        estimates=mark_estimates(summary, estimates, part.values),
        values=part.values,
        environment=part.environment,
        cell=cell,
        name=_name_cell(cell),
        trials=part.trials,
    )


def _name_cell(cell: Cell) -> str:
    """Return the name of the cell's framework; in a confirmation run it includes the build."""
    name = cell.framework.name
    if cell.builds is None:
        return name
    digest = cell.builds.get(cell.framework.slug) or next(iter(cell.builds.values()))
    age = "old" if cell.position == 0 else "new"
    return f"{name}, {age} build {digest[:8]}"


def _summarise(run: Run, part: _Part, verdicts: Sequence[StoredCellWarning]) -> CellSummary:
    """Return the row of a cell, which is not stored yet."""
    cell, environment = part.cell, part.environment
    first = part.succeeded[0] if part.succeeded else None
    alike = {
        "runtime": (first.runtime if first else None) or "",
        "host_digest": str(environment.get("host_digest", "")),
        "harness_digest": str(environment.get("harness_digest", "")),
        "scenario_digest": cell.scenario_digest,
        "parameters": cell.parameters,
    }
    return CellSummary(
        cell_id=cell.id,
        run_id=run.id,
        workspace_id=run.workspace_id,
        host_id=run.host_id,
        at=run.created_at,
        framework=cell.framework.slug,
        scenario=cell.scenario.slug,
        profile=cell.profile,
        kind=cell.kind,
        framework_digest=cell.framework_digest,
        **alike,
        board=_name_board(alike),
        image_digest=first.image_digest if first else None,
        trials_succeeded=len(part.succeeded),
        trials_failed=sum(trial.status == TrialStatus.FAILED for trial in part.trials),
        verdicts=list(verdicts),
        excluded=any(warning["verdict"] in EXCLUDING for warning in verdicts),
    )


def _name_board(alike: Mapping[str, object]) -> str:
    """Return an identifier, usable in URLs, of the conditions that a board's results share."""
    text = json.dumps(alike, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _only_succeeded(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.status == TrialStatus.SUCCEEDED]


def _cell_verdicts(
    run: Run, part: _Part, metrics: TrialMetrics, across: Sequence[Difference]
) -> list[StoredCellWarning]:
    """Return the verdicts of a cell, the most severe first.

    Args:
        across: differences between the conditions of the run's trials.
    """
    kind, succeeded = ProfileKind(part.cell.kind), part.succeeded
    if not succeeded:
        return []
    found: dict[Verdict, list[str]] = {}
    for trial in succeeded:
        for warning in trial.verdicts:
            found.setdefault(Verdict(warning["verdict"]), []).append(warning["detail"])
        cost = _judge_cost(kind, trial, metrics.get(trial.id, {}))
        if cost is not None:
            found.setdefault(cost.verdict, []).append(cost.detail)
    unsteady = found.pop(Verdict.NEVER_STEADY, [])
    drifts = _list_drifts(metrics.get(trial.id, {}) for trial in succeeded)
    state = judge_unsteady_trials(unsteady, len(succeeded), drifts)
    if state is not None:
        found[state.verdict] = [state.detail] * len(unsteady) + found.get(state.verdict, [])
    # The members of the enum are in the order of their severity.
    verdicts = [
        StoredCellWarning(verdict=verdict, detail=found[verdict][0], trials=len(found[verdict]))
        for verdict in Verdict
        if verdict in found
    ]
    whole = [
        StoredCellWarning(verdict=warning.verdict, detail=warning.detail, trials=len(succeeded))
        for warning in (
            *([] if run.has_reached_goal else judge_cell(len(succeeded))),
            *_judge_sameness(_first_differences(succeeded, ()), across),
        )
    ]
    return [*verdicts, *whole] or [
        StoredCellWarning(verdict=Verdict.OK, detail=NO_PROBLEM, trials=len(succeeded))
    ]


def _list_drifts(metrics: Iterable[Mapping[Metric, float]]) -> list[float]:
    return [
        values[Metric.WINDOW_DRIFT_RATIO]
        for values in metrics
        if Metric.WINDOW_DRIFT_RATIO in values
    ]


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

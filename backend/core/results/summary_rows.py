"""Store the summaries of an ended run: one row per cell and one per metric."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import log
from statistics import fmean, stdev
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.measurements import repository as measurements
from backend.core.models import Cell, CellMetric, CellSummary, Run, Trial
from backend.core.results import repository
from backend.core.results.cell_summary import Summary, summarise_cell
from backend.core.results.disturbance import list_counted
from backend.core.statistics.estimate import Estimate
from backend.core.statuses import TrialStatus
from backend.core.units import Metric

Values = Mapping[UUID, Mapping[Metric, float]]


def write_summaries(session: Session, run: Run) -> None:
    """Summarise every cell of an ended run that has a succeeded trial, replacing earlier rows.

    Args:
        run: with its cells (and their framework and scenario) and its trials.
    """
    values = measurements.list_metrics(session, [trial.id for trial in run.trials])
    summaries: list[CellSummary] = []
    metrics: list[CellMetric] = []
    for cell in run.cells:
        trials = [trial for trial in run.trials if trial.cell_id == cell.id]
        succeeded = [trial for trial in trials if trial.status == TrialStatus.SUCCEEDED]
        if not succeeded:
            continue
        repeats_disturbed = run.goal is not None
        counted = list_counted(trials, repeats_disturbed=repeats_disturbed) or succeeded
        summary = summarise_cell(
            trials,
            values,
            has_enough_trials=run.has_reached_goal,
            repeats_disturbed=repeats_disturbed,
        )
        row = _to_row(run, cell, succeeded[0], summary)
        summaries.append(row)
        metrics.extend(
            _to_metric(row, metric, found, [values.get(trial.id, {}) for trial in counted])
            for metric, found in summary.estimates.items()
        )
    repository.replace_summaries(session, run.id, summaries, metrics)


def _to_row(run: Run, cell: Cell, first: Trial, summary: Summary) -> CellSummary:
    environment = first.environment
    alike = {
        "runtime": first.runtime or "",
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
        image_digest=first.image_digest,
        trials_succeeded=summary.trials_succeeded,
        trials_failed=summary.trials_failed,
        verdicts=[asdict(verdict) for verdict in summary.verdicts],
        excluded=summary.excluded,
    )


def _name_board(alike: Mapping[str, object]) -> str:
    """Return an identifier, usable in URLs, of the conditions that a board's results share."""
    text = json.dumps(alike, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _to_metric(
    row: CellSummary, metric: Metric, found: Estimate, trials: Sequence[Mapping[Metric, float]]
) -> CellMetric:
    values = [trial[metric] for trial in trials if metric in trial]
    logs = [log(value) for value in values] if min(values) > 0 else []
    return CellMetric(
        cell_id=row.cell_id,
        metric=metric,
        framework=row.framework,
        scenario=row.scenario,
        at=row.at,
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        n=found.n,
        mean_log=fmean(logs) if logs else None,
        sd_log=stdev(logs) if len(logs) > 1 else None,
    )

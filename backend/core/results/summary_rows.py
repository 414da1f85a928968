"""Store the summaries of an ended run: one row per cell and one per metric."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import log
from statistics import fmean

from sqlalchemy.orm import Session

from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.statistics.estimate import Estimate, deviation
from backend.core.models import Cell, CellSummary, Run, Trial
from backend.core.results import repository
from backend.core.results.cell_summary import (
    RunSummaries,
    Summary,
    group_trials,
    summarise_run,
)
from backend.core.results.repository import MetricRow
from backend.core.statuses import TrialStatus
from backend.core.units import Metric


def write_summaries(session: Session, run: Run) -> RunSummaries:
    """Store the summary of every cell of an ended run that has a succeeded trial.

    Earlier rows are replaced.

    Args:
        run: with its cells (and their framework and scenario) and its trials.

    Returns:
        The summaries of all its cells.
    """
    values = measurements.list_metrics(session, [trial.id for trial in run.trials])
    found, trials_of = summarise_run(run, values), group_trials(run)
    summaries: list[CellSummary] = []
    metrics: list[MetricRow] = []
    for cell in run.cells:
        trials, summary = trials_of[cell.id], found.cells[cell.id]
        succeeded = [trial for trial in trials if trial.status == TrialStatus.SUCCEEDED]
        if not succeeded:
            continue
        row = _to_row(run, cell, succeeded[0], summary)
        summaries.append(row)
        metrics.extend(
            _to_metric(row, metric, centre, [values.get(trial.id, {}) for trial in succeeded])
            for metric, centre in summary.estimates.items()
        )
    repository.replace_summaries(session, run.id, summaries, metrics)
    return found


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
) -> MetricRow:
    """Return the row of a metric. A bound has no logs, so it is in no test for changes.

    A sustained rate at the ceiling has logs: that a service no longer passes all steps is a change.
    """
    values = [trial[metric] for trial in trials if metric in trial]
    is_bound = found.is_bound and metric is not Metric.SUSTAINED_RPS
    logs = [log(value) for value in values] if min(values) > 0 and not is_bound else []
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

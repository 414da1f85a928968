"""Store the summaries of an ended run: one row per cell and one per metric."""

from math import log
from statistics import fmean

from sqlalchemy.orm import Session

from backend.core.measurement.measurements import repository as measurements
from backend.core.measurement.statistics.estimate import Estimate, deviation
from backend.core.models import CellSummary, Run
from backend.core.results import repository
from backend.core.results.cell_result import Values
from backend.core.results.cell_summary import RunSummaries, summarise_run
from backend.core.results.repository import MetricRow
from backend.core.units import Metric


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
    repository.replace_summaries(session, run.id, [result.summary for result in stored], rows)
    return found


def _to_metric(row: CellSummary, metric: Metric, found: Estimate, values: Values) -> MetricRow:
    """Return the row of a metric. A bound has no logs, so it is in no test for changes.

    A sustained rate at the ceiling has logs: that a service no longer passes all steps is a change.
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

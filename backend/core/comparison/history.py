"""History: every finished cell of one framework × scenario as a point, in comparable series."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison.service import summarise_cell
from backend.core.comparison.stats import Estimate
from backend.core.measurements import repository as measurements
from backend.core.models import Run, Trial
from backend.core.runs import repository as runs
from backend.core.units import Metric


@dataclass(frozen=True)
class Point:
    """One cell of one finished run."""

    run_id: UUID
    run_slug: str
    cell_id: UUID
    at: datetime
    estimate: Estimate
    barred: bool
    framework_digest: str
    host_digest: str


@dataclass(frozen=True)
class Series:
    """Points that were measured alike: host, runtime, profile and parameters are the same."""

    host: str
    runtime: str
    profile: str
    parameters: dict[str, int]
    points: list[Point] = field(default_factory=list)


def read_history(
    session: Session,
    framework: str,
    scenario: str,
    metric: Metric,
    *,
    host: str | None,
    limit: int,
    with_unlisted: bool,
) -> list[Series]:
    """The newest `limit` points, oldest first, grouped into series; cells without one left out."""
    rows = runs.list_finished_cells(session, framework, scenario, host, with_unlisted, limit)
    trials_of: dict[UUID, list[Trial]] = {}
    for trial in runs.list_succeeded(session, [cell.id for cell, _ in rows]):
        trials_of.setdefault(trial.cell_id, []).append(trial)
    metrics = measurements.list_metrics(
        session, [trial.id for trials in trials_of.values() for trial in trials], metric
    )
    found: dict[tuple[str, str, str, str], Series] = {}
    for cell, run in reversed(rows):
        trials = trials_of.get(cell.id, [])
        summary = summarise_cell(trials, metrics)
        if metric not in summary.estimates:
            continue
        runtime = trials[0].runtime or ""
        parameters = json.dumps(cell.parameters, sort_keys=True)
        series = found.setdefault(
            (run.host.name, runtime, cell.profile, parameters),
            Series(run.host.name, runtime, cell.profile, cell.parameters),
        )
        series.points.append(
            Point(
                run_id=run.id,
                run_slug=run.slug,
                cell_id=cell.id,
                at=run.created_at,
                estimate=summary.estimates[metric],
                barred=summary.barred,
                framework_digest=cell.framework_digest,
                host_digest=_host_digest(run, trials[0]),
            )
        )
    return list(found.values())


def _host_digest(run: Run, trial: Trial) -> str:
    return str(trial.environment.get("host_digest", run.host.fingerprint_digest))

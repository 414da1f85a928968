"""SQL for histories. Every function takes the caller's session and never commits."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from backend.core.models import (
    CellMetric,
    CellSummary,
    Host,
    Run,
)
from backend.core.results.repository import is_listed
from backend.core.units import Metric


class PointRow(NamedTuple):
    """A point of a history: one cell of one finished run, with one metric's estimate.

    `parameters` is their JSON text, equal for equal parameters. `mean_log` is None if a value of a
    trial has no logarithm; `low` and `high` are None with a single trial.
    """

    run_id: UUID
    run_slug: str
    cell_id: UUID
    at: datetime
    host: str
    runtime: str
    profile: str
    parameters: str
    excluded: bool
    framework_digest: str
    host_digest: str
    harness_digest: str
    scenario_digest: str
    estimate: float
    low: float | None
    high: float | None
    n: int
    mean_log: float | None


def list_points(
    session: Session,
    framework: str,
    scenario: str,
    metric: Metric,
    *,
    host: str | None,
    with_unlisted: bool,
    limit: int,
) -> Sequence[PointRow]:
    """Return the cells of ended comparison runs that have this metric, newest first."""
    query = (
        select(
            CellSummary.run_id,
            Run.slug,
            CellSummary.cell_id,
            CellSummary.at,
            Host.name,
            CellSummary.runtime,
            CellSummary.profile,
            cast(CellSummary.parameters, Text),
            CellSummary.excluded,
            CellSummary.framework_digest,
            CellSummary.host_digest,
            CellSummary.harness_digest,
            CellSummary.scenario_digest,
            CellMetric.estimate,
            CellMetric.low,
            CellMetric.high,
            CellMetric.n,
            CellMetric.mean_log,
        )
        .join(CellMetric, CellMetric.cell_id == CellSummary.cell_id)
        .join(Run, Run.id == CellSummary.run_id)
        .join(Host, Host.id == CellSummary.host_id)
        .where(
            CellMetric.framework == framework,
            CellMetric.scenario == scenario,
            CellMetric.metric == metric,
            is_listed(with_unlisted=with_unlisted),
        )
        .order_by(CellMetric.at.desc(), CellMetric.cell_id.desc())
        .limit(limit)
    )
    if host is not None:
        query = query.where(Host.name == host)
    # Columns instead of entities: for a thousand rows, this halves the time.
    return [PointRow._make(row) for row in session.connection().execute(query)]

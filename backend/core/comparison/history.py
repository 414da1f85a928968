"""History: every finished cell of one framework × scenario as a point, in comparable series."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison import repository
from backend.core.comparison.repository import SummaryRow
from backend.core.comparison.stats import Estimate
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
    rows = repository.list_points(
        session,
        framework,
        scenario,
        metric,
        host=host,
        with_unlisted=with_unlisted,
        limit=limit,
    )
    found: dict[tuple[str, str, str, str], Series] = {}
    for row in reversed(rows):
        cell = row.summary
        parameters = json.dumps(cell.parameters, sort_keys=True)
        series = found.setdefault(
            (row.host, cell.runtime, cell.profile, parameters),
            Series(row.host, cell.runtime, cell.profile, cell.parameters),
        )
        series.points.append(_to_point(row))
    return list(found.values())


def _to_point(row: SummaryRow) -> Point:
    cell, metric = row.summary, row.metric
    return Point(
        run_id=cell.run_id,
        run_slug=row.run_slug,
        cell_id=cell.cell_id,
        at=cell.at,
        estimate=Estimate(metric.estimate, metric.low, metric.high, metric.n),
        barred=cell.barred,
        framework_digest=cell.framework_digest,
        host_digest=cell.host_digest,
    )

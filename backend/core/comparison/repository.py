"""SQL for summaries of cells. Every function takes the caller's session and never commits."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.core.models import CellMetric, CellSummary, Host, Run
from backend.core.units import Metric, Purpose


def replace_summaries(
    session: Session,
    run_id: UUID,
    summaries: Sequence[CellSummary],
    metrics: Sequence[CellMetric],
) -> None:
    """Write the summaries of a run's cells; what was there before goes."""
    session.execute(delete(CellSummary).where(CellSummary.run_id == run_id))
    session.add_all(summaries)
    session.flush()
    session.add_all(metrics)
    session.flush()


class SummaryRow(NamedTuple):
    """A cell's summary with one of its metrics, and where it was measured."""

    summary: CellSummary
    metric: CellMetric
    run_slug: str
    host: str


def list_points(
    session: Session,
    framework: str,
    scenario: str,
    metric: Metric,
    *,
    host: str | None,
    with_unlisted: bool,
    limit: int,
) -> Sequence[SummaryRow]:
    """The cells of ended comparison runs that have this metric, newest first."""
    query = (
        select(CellSummary, CellMetric, Run.slug, Host.name)
        .join(CellMetric, CellMetric.cell_id == CellSummary.cell_id)
        .join(Run, Run.id == CellSummary.run_id)
        .join(Host, Host.id == CellSummary.host_id)
        .where(
            CellSummary.framework == framework,
            CellSummary.scenario == scenario,
            CellMetric.metric == metric,
            Run.purpose == Purpose.COMPARISON,
        )
        .order_by(CellSummary.at.desc(), CellSummary.cell_id.desc())
        .limit(limit)
    )
    if host is not None:
        query = query.where(Host.name == host)
    if not with_unlisted:
        query = query.where(Run.visibility == "public")
    return [SummaryRow(*row) for row in session.execute(query)]

"""SQL for the queues of all bench hosts. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session, selectinload

from backend.core.access.viewer import Viewer
from backend.core.documents import Parameters
from backend.core.models import Cell, Host, Run, Trial
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed


class QueuedCell(NamedTuple):
    """A cell of an unfinished run.

    Attributes:
        has_goal: whether its run has a goal.
        unfinished: the number of its trials that have not ended.
        began_at: when its current trial started; None without one.
    """

    host_id: UUID
    created_at: datetime
    run_id: UUID
    has_goal: bool
    parameters: Parameters
    unfinished: int
    began_at: datetime | None


def list_queued_cells(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None
) -> list[QueuedCell]:
    """Return the cells of unfinished runs on these hosts: by host, then in queue order.

    Only the runs that the viewer sees count. Without `host_ids`, those of all hosts do.
    """
    unfinished = and_(Trial.cell_id == Cell.id, Trial.status.not_in(TRIAL_ENDS))
    query = (
        select(
            Run.host_id,
            Run.created_at,
            Run.id,
            Run.goal.is_not(None),
            Cell.parameters,
            func.count(Trial.id),
            func.max(Trial.started_at).filter(Trial.status.in_(STAGES)),
        )
        .join(Cell, Cell.run_id == Run.id)
        .outerjoin(Trial, unfinished)
        .where(_is_unfinished(viewer, host_ids))
        .group_by(Run.id, Cell.id)
        .order_by(Run.host_id, Run.created_at, Run.id)
    )
    return [QueuedCell._make(row) for row in session.execute(query)]


def list_with_cells(session: Session, run_ids: Collection[UUID]) -> Sequence[Run]:
    """Return these runs with their cells."""
    query = select(Run).options(selectinload(Run.cells)).where(Run.id.in_(run_ids))
    return session.scalars(query).all()


def list_current_heads(session: Session, viewer: Viewer) -> dict[str, Run]:
    """Return the current run by host name."""
    rows = session.execute(
        select(Host.name, Run)
        .join(Trial, Trial.host_id == Host.id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.status.in_(STAGES), is_listed(viewer))
    )
    return dict(rows.all())


def _is_unfinished(viewer: Viewer, host_ids: Collection[UUID] | None) -> ColumnElement[bool]:
    conditions = [Run.status.not_in(RUN_ENDS), is_listed(viewer)]
    if host_ids is not None:
        conditions.append(Run.host_id.in_(host_ids))
    return and_(*conditions)

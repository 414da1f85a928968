"""SQL that measures what a workspace uses. Never commits."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import DateTime, Float, Select, cast, extract, func, literal, or_, select
from sqlalchemy.orm import Session

from backend.core.documents import Parameters
from backend.core.models import Cell, Run, Trial, Workspace
from backend.core.runs.status import TRIAL_ENDS


def get_workspace(session: Session, workspace_id: UUID) -> Workspace:
    """Return a workspace."""
    return session.get_one(Workspace, workspace_id)


def lock_workspace(session: Session, workspace_id: UUID) -> Workspace:
    """Return a workspace, locked until commit against other checks of its limits."""
    query = select(Workspace).where(Workspace.id == workspace_id)
    # Rows that refer to the workspace can still be inserted.
    return session.scalars(query.with_for_update(key_share=True)).one()


def count_unfinished(session: Session, workspace_id: UUID) -> list[tuple[Parameters, int]]:
    """Return cell parameters with the number of queued and running trials of such cells."""
    rows = session.execute(
        select(Cell.parameters, func.count())
        .join(Trial, Trial.cell_id == Cell.id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.status.not_in(TRIAL_ENDS), Run.workspace_id == workspace_id)
        .group_by(Cell.parameters)
    )
    return [(parameters, count) for parameters, count in rows]


def list_finished(
    session: Session, workspace_id: UUID, since: datetime
) -> Sequence[tuple[datetime, datetime]]:
    """Return start and end of the trials that ended after a time, by end."""
    query = _select_finished(workspace_id, since).order_by(Trial.finished_at)
    rows = session.execute(query)
    return [(began_at, ended_at) for began_at, ended_at in rows if began_at and ended_at]


def sum_finished_seconds(session: Session, workspace_id: UUID, since: datetime) -> float:
    """Return the seconds, after a time, of the trials that ended after it."""
    finished = _select_finished(workspace_id, since).subquery()
    begin = func.greatest(finished.c.started_at, literal(since, DateTime(timezone=True)))
    seconds = cast(func.sum(extract("epoch", finished.c.finished_at - begin)), Float)
    return session.scalar(select(func.coalesce(seconds, 0.0))) or 0.0


def _select_finished(
    workspace_id: UUID, since: datetime
) -> Select[datetime | None, datetime | None]:
    """Select start and end of the trials that ended after a time."""
    # Found by an index on runs, because trials have none on their times.
    is_recent = or_(Run.finished_at.is_(None), Run.finished_at > since)
    return (
        select(Trial.started_at, Trial.finished_at)
        .join(Run, Run.id == Trial.run_id)
        .where(
            Run.workspace_id == workspace_id,
            is_recent,
            Trial.started_at.is_not(None),
            Trial.finished_at > since,
        )
    )

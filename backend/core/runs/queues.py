"""SQL for the queues of all bench hosts. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, and_, any_, func, select, true
from sqlalchemy.orm import Session, selectinload

from backend.core.access.viewer import Viewer
from backend.core.db import IDS
from backend.core.documents import Parameters
from backend.core.models import Cell, Run, Trial
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed

_PARAMETERS = select(Cell.id, Cell.parameters).where(Cell.id == any_(IDS))


class QueuedCell(NamedTuple):
    """A cell of an unfinished run.

    Attributes:
        unfinished: the number of its trials that have not ended.
        began_at: when its current trial started; None without one.
        has_goal: whether its run has a goal.
    """

    id: UUID
    host_id: UUID
    unfinished: int
    began_at: datetime | None
    run_id: UUID
    created_at: datetime
    slug: str
    title: str
    has_goal: bool


def list_queued_cells(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None
) -> list[QueuedCell]:
    """Return the cells of unfinished runs on these hosts: by host, then in queue order.

    Only the runs that the viewer sees count. Without `host_ids`, those of all hosts do.
    """
    query = _select_queued_cells(viewer, of_hosts=host_ids is not None)
    parameters = None if host_ids is None else {IDS.key: list(host_ids)}
    return [QueuedCell._make(row) for row in session.execute(query, parameters)]


def list_parameters(session: Session, cell_ids: Collection[UUID]) -> dict[UUID, Parameters]:
    """Return the parameters of these cells by id."""
    return dict(session.execute(_PARAMETERS, {IDS.key: list(cell_ids)}).all())


def list_with_cells(session: Session, run_ids: Collection[UUID]) -> Sequence[Run]:
    """Return these runs with their cells."""
    query = select(Run).options(selectinload(Run.cells)).where(Run.id.in_(run_ids))
    return session.scalars(query).all()


# To build the statement takes a large part of the time.
@lru_cache(maxsize=100)
def _select_queued_cells(viewer: Viewer, *, of_hosts: bool) -> Select[*tuple[object, ...]]:
    is_wanted = Run.host_id == any_(IDS) if of_hosts else true()
    unfinished = and_(Trial.cell_id == Cell.id, Trial.status.not_in(TRIAL_ENDS))
    return (
        select(
            Cell.id,
            Run.host_id,
            func.count(Trial.id),
            func.max(Trial.started_at).filter(Trial.status.in_(STAGES)),
            Run.id,
            Run.created_at,
            Run.slug,
            Run.title,
            Run.goal.is_not(None),
        )
        .join(Cell, Cell.run_id == Run.id)
        .outerjoin(Trial, unfinished)
        .where(Run.status.not_in(RUN_ENDS), is_listed(viewer), is_wanted)
        .group_by(Run.id, Cell.id)
        .order_by(Run.host_id, Run.created_at, Run.id)
    )

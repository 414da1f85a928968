"""SQL for the queues of all bench hosts. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, any_, func, select, true
from sqlalchemy.orm import Session, selectinload

from backend.core.db import IDS
from backend.core.documents import Parameters
from backend.core.models import Cell, Host, Run, Trial
from backend.core.people.access.viewer import INSTALLATION, Viewer
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed
from backend.core.statuses import RunStatus


class RunInQueue(NamedTuple):
    """An unfinished run in the queue of its host.

    Attributes:
        trials: the number of its trials so far.
        finished: the number of those that have ended.
        began_at: when its current trial started; None without one.
    """

    id: UUID
    host_id: UUID
    status: RunStatus
    created_at: datetime
    slug: str
    title: str
    has_goal: bool
    trials: int
    finished: int
    began_at: datetime | None


def list_queued_runs(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None
) -> list[RunInQueue]:
    """Return the unfinished runs on these hosts: by host, then in queue order.

    Only the runs that the viewer sees count. Without `host_ids`, those of all hosts do.
    """
    query = _select_queued_runs(viewer, of_hosts=host_ids is not None)
    parameters = None if host_ids is None else {IDS.key: list(host_ids)}
    return [RunInQueue._make(row) for row in session.execute(query, parameters)]


def list_with_cells(session: Session, run_ids: Collection[UUID]) -> Sequence[Run]:
    """Return these runs with their cells."""
    query = select(Run).options(selectinload(Run.cells)).where(Run.id.in_(run_ids))
    # A run that was deleted in the meantime has no cells.
    return [run for run in session.scalars(query) if run.cells]


def count_unfinished(session: Session, viewer: Viewer = INSTALLATION) -> dict[str, int]:
    """Return the number of unfinished trials by host name; hosts without any are left out.

    Only the runs that the viewer sees count.
    """
    query = (
        select(Host.name, func.count())
        .join(Trial, Trial.host_id == Host.id)
        .join(Run, Run.id == Trial.run_id)
        .where(Trial.status.not_in(TRIAL_ENDS), is_listed(viewer))
        .group_by(Host.name)
    )
    return dict(session.execute(query).all())


def count_unfinished_alike(session: Session, host_id: UUID) -> list[tuple[Parameters, int]]:
    """Return cell parameters with the number of unfinished trials of such cells on a host."""
    rows = session.execute(
        select(Cell.parameters, func.count())
        .join(Trial, Trial.cell_id == Cell.id)
        .where(Trial.host_id == host_id, Trial.status.not_in(TRIAL_ENDS))
        .group_by(Cell.parameters)
    )
    return [(parameters, count) for parameters, count in rows]


# To build the statement takes a large part of the time.
@lru_cache(maxsize=100)
def _select_queued_runs(viewer: Viewer, *, of_hosts: bool) -> Select[*tuple[object, ...]]:
    is_wanted = Run.host_id == any_(IDS) if of_hosts else true()
    return (
        select(
            Run.id,
            Run.host_id,
            Run.status,
            Run.created_at,
            Run.slug,
            Run.title,
            Run.goal.is_not(None),
            func.count(Trial.id),
            func.count(Trial.id).filter(Trial.status.in_(TRIAL_ENDS)),
            func.max(Trial.started_at).filter(Trial.status.in_(STAGES)),
        )
        .outerjoin(Trial, Trial.run_id == Run.id)
        .where(Run.status.not_in(RUN_ENDS), is_listed(viewer), is_wanted)
        .group_by(Run.id)
        .order_by(Run.host_id, Run.created_at, Run.id)
    )

"""SQL for runs without their cells and trials, but with their progress. Never commits."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    Integer,
    ScalarSelect,
    Select,
    and_,
    any_,
    bindparam,
    case,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from backend.core.db import IDS
from backend.core.models import Run, Trial
from backend.core.people.access.viewer import Viewer
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed
from backend.core.statuses import RunStatus, TrialStatus

_LIMIT = bindparam("limit", type_=Integer)


class RunHead(NamedTuple):
    """A run without its cells and trials.

    Attributes:
        counts: status to number of trials.
        began_at: when its current trial started; None without one.
    """

    id: UUID
    workspace_id: UUID
    host_id: UUID
    status: RunStatus
    requested_by: str | None
    created_at: datetime
    started_at: datetime | None
    counts: Mapping[TrialStatus, int]
    began_at: datetime | None

    @property
    def trials(self) -> int:
        """The number of its trials."""
        return sum(self.counts.values())

    @property
    def finished(self) -> int:
        """The number of its trials that have ended."""
        return sum(self.counts.get(end, 0) for end in TRIAL_ENDS)


def list_unfinished(session: Session, viewer: Viewer, limit: int) -> list[RunHead]:
    """Return the runs that have not ended and that the viewer sees listed, oldest first."""
    rows = session.execute(_select_unfinished(viewer), {_LIMIT.key: limit})
    return [RunHead._make(row) for row in rows]


def list_heads(session: Session, run_ids: Collection[UUID]) -> list[RunHead]:
    """Return these runs in any order. Runs that do not exist are left out."""
    rows = session.execute(_select_these(), {IDS.key: list(run_ids)})
    return [RunHead._make(row) for row in rows]


# To build a statement takes a large part of its time.
@lru_cache(maxsize=100)
def _select_unfinished(viewer: Viewer) -> Select[*tuple[object, ...]]:
    query = _select_heads().where(Run.status.not_in(RUN_ENDS), is_listed(viewer))
    return query.order_by(Run.created_at, Run.id).limit(_LIMIT)


@lru_cache
def _select_these() -> Select[*tuple[object, ...]]:
    return _select_heads().where(Run.id == any_(IDS))


def _select_heads() -> Select[*tuple[object, ...]]:
    return select(
        Run.id,
        Run.workspace_id,
        Run.host_id,
        Run.status,
        Run.requested_by,
        Run.created_at,
        Run.started_at,
        _count_trials(),
        case((Run.status == RunStatus.RUNNING, _select_current_start())),
    )


def _select_current_start() -> ScalarSelect[datetime | None]:
    current = and_(Trial.run_id == Run.id, Trial.status.in_(STAGES))
    return select(func.max(Trial.started_at)).where(current).correlate(Run).scalar_subquery()


def _count_trials() -> ScalarSelect[Mapping[TrialStatus, int]]:
    number = func.count().label("number")
    counted = select(Trial.status, number).where(Trial.run_id == Run.id).group_by(Trial.status)
    rows = counted.correlate(Run).subquery()
    counts = func.jsonb_object_agg(rows.c.status, rows.c.number, type_=JSONB)
    return select(func.coalesce(counts, literal_column("'{}'", JSONB))).scalar_subquery()

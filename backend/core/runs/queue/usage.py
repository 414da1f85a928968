"""SQL that measures what a workspace uses. Never commits."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    DateTime,
    Float,
    Uuid,
    bindparam,
    cast,
    extract,
    func,
    or_,
    select,
    true,
)
from sqlalchemy.orm import Session

from backend.core.documents import Parameters
from backend.core.models import Cell, Run, Trial, Workspace
from backend.core.runs.status import TRIAL_ENDS

# The statements are written once, because writing them takes as long as a part of their execution.
_WORKSPACE = bindparam("workspace_id", type_=Uuid)
_SINCE = bindparam("since", type_=DateTime(timezone=True))

# Trials are counted by cell first, so that few rows are joined.
_UNFINISHED_BY_CELL = (
    select(Trial.run_id, Trial.cell_id, func.count().label("trials"))
    .where(Trial.status.not_in(TRIAL_ENDS))
    .group_by(Trial.run_id, Trial.cell_id)
    .subquery()
)
_UNFINISHED = (
    select(
        Cell.parameters.label("parameters"),
        cast(func.sum(_UNFINISHED_BY_CELL.c.trials), BigInteger).label("trials"),
    )
    .join(_UNFINISHED_BY_CELL, _UNFINISHED_BY_CELL.c.cell_id == Cell.id)
    .join(Run, Run.id == _UNFINISHED_BY_CELL.c.run_id)
    .where(Run.workspace_id == _WORKSPACE)
    .group_by(Cell.parameters)
)

# Start and end of the trials that ended after a time. An index on runs finds them, because trials
# have none on their times.
_FINISHED = (
    select(Trial.started_at, Trial.finished_at)
    .join(Run, Run.id == Trial.run_id)
    .where(
        Run.workspace_id == _WORKSPACE,
        or_(Run.finished_at.is_(None), Run.finished_at > _SINCE),
        Trial.started_at.is_not(None),
        Trial.finished_at > _SINCE,
    )
)
# Intervals are added, because PostgreSQL converts each to seconds slowly.
_FINISHED_TIME = _FINISHED.with_only_columns(
    func.sum(Trial.finished_at - func.greatest(Trial.started_at, _SINCE))
)


class WorkspaceUsage(NamedTuple):
    """The limits of a workspace, and what it uses.

    Attributes:
        max_queued_trials, max_bench_minutes: None for the default of the installation.
        finished_seconds: of trials that ended after a time, as far as they are after it.
        unfinished: cell parameters with the number of queued and running trials of such cells.
    """

    max_queued_trials: int | None
    max_bench_minutes: int | None
    finished_seconds: float
    unfinished: Sequence[tuple[Parameters, int]]


_unfinished = _UNFINISHED.subquery()
_USAGE = (
    select(
        Workspace.max_queued_trials,
        Workspace.max_bench_minutes,
        cast(func.coalesce(extract("epoch", _FINISHED_TIME.scalar_subquery()), 0.0), Float),
        _unfinished.c.parameters,
        _unfinished.c.trials,
    )
    .outerjoin(_unfinished, true())
    .where(Workspace.id == _WORKSPACE)
)


def lock_workspace(session: Session, workspace_id: UUID) -> Workspace:
    """Return a workspace, locked until commit against other checks of its limits."""
    query = select(Workspace).where(Workspace.id == workspace_id)
    # Rows that refer to the workspace can still be inserted.
    return session.scalars(query.with_for_update(key_share=True)).one()


def read_usage(session: Session, workspace_id: UUID, since: datetime) -> WorkspaceUsage:
    """Return the limits of a workspace, and what it uses, with finished trials after a time."""
    rows = session.execute(_USAGE, {"workspace_id": workspace_id, "since": since}).all()
    max_trials, max_minutes, seconds, *_ = rows[0]
    unfinished = [(parameters, trials) for *_, parameters, trials in rows if trials]
    return WorkspaceUsage(max_trials, max_minutes, seconds, unfinished)


def count_unfinished(session: Session, workspace_id: UUID) -> list[tuple[Parameters, int]]:
    """Return cell parameters with the number of queued and running trials of such cells."""
    rows = session.execute(_UNFINISHED, {"workspace_id": workspace_id})
    return [(parameters, trials) for parameters, trials in rows]


def list_finished(
    session: Session, workspace_id: UUID, since: datetime
) -> Sequence[tuple[datetime, datetime]]:
    """Return start and end of the trials that ended after a time, by end."""
    rows = session.execute(
        _FINISHED.order_by(Trial.finished_at), {"workspace_id": workspace_id, "since": since}
    )
    return [(began_at, ended_at) for began_at, ended_at in rows if began_at and ended_at]

"""SQL for retention: its settings, the runs that are due, and their rows. Never commits."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, delete, exists, func, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from backend.core.models import (
    Cell,
    Change,
    RetentionSetting,
    Run,
    Sample,
    Snapshot,
    Trial,
    TrialLog,
    Workspace,
)
from backend.core.statuses import ChangeStatus, RemovalReason

_ONLY_ROW = 1
# Changes that people have not rejected: the runs before and after them explain them.
_STANDING = (ChangeStatus.SUSPECTED, ChangeStatus.TESTING, ChangeStatus.CONFIRMED)


def get_setting(session: Session, *, is_locked: bool = False) -> RetentionSetting:
    """Return the setting of the installation, locked until commit if wanted."""
    query = select(RetentionSetting).where(RetentionSetting.id == _ONLY_ROW)
    if is_locked:
        query = query.with_for_update().execution_options(populate_existing=True)
    return session.scalars(query).one()


def get_workspace(session: Session, workspace_id: UUID) -> Workspace:
    return session.get_one(Workspace, workspace_id)


def list_workspaces(session: Session) -> Sequence[Workspace]:
    return session.scalars(select(Workspace).order_by(Workspace.id)).all()


def list_due_for_seconds(
    session: Session, workspace_id: UUID, ended_before: datetime, most: int
) -> Sequence[UUID]:
    """Return runs of a workspace whose seconds are due, oldest first, locked until commit."""
    return session.scalars(
        _select_due(workspace_id, ended_before, Run.seconds_removed_at).limit(most)
    ).all()


def list_due_for_logs(
    session: Session, workspace_id: UUID, ended_before: datetime, most: int
) -> Sequence[UUID]:
    """Return runs of a workspace whose logs are due, oldest first, locked until commit."""
    return session.scalars(
        _select_due(workspace_id, ended_before, Run.logs_removed_at).limit(most)
    ).all()


def mark_seconds_removed(session: Session, run_ids: Sequence[UUID], reason: RemovalReason) -> None:
    """Record that runs have no seconds any more. Their rows are deleted later."""
    values = {"seconds_removed_at": func.now(), "removal_reason": reason, "has_removed_rows": True}
    session.execute(update(Run).where(Run.id.in_(run_ids)).values(values))


def mark_logs_removed(session: Session, run_ids: Sequence[UUID]) -> None:
    """Record that runs have no logs any more. Their rows are deleted later."""
    values = {"logs_removed_at": func.now(), "has_removed_rows": True}
    session.execute(update(Run).where(Run.id.in_(run_ids)).values(values))


def claim_run_with_removed_rows(session: Session) -> Run | None:
    """Return a run with rows to delete, locked until commit; None without one."""
    query = select(Run).where(Run.has_removed_rows).order_by(Run.id).limit(1)
    return session.scalars(query.with_for_update(skip_locked=True)).one_or_none()


def delete_seconds(session: Session, run_id: UUID, most_trials: int) -> int:
    """Delete the seconds of some trials of a run, and return the number of these trials."""
    trial_ids = _list_trials_with(session, Sample, run_id, most_trials)
    session.execute(delete(Sample).where(Sample.trial_id.in_(trial_ids)))
    return len(trial_ids)


def delete_logs(session: Session, run_id: UUID, most_trials: int) -> int:
    """Delete the logs of some trials of a run, and return the number of these trials."""
    trial_ids = _list_trials_with(session, TrialLog, run_id, most_trials)
    session.execute(delete(TrialLog).where(TrialLog.trial_id.in_(trial_ids)))
    return len(trial_ids)


def _list_trials_with(
    session: Session, table: type[Sample] | type[TrialLog], run_id: UUID, most: int
) -> Sequence[UUID]:
    has_rows = exists().where(table.trial_id == Trial.id)
    return session.scalars(
        select(Trial.id).where(Trial.run_id == run_id, has_rows).limit(most)
    ).all()


def _select_due(
    workspace_id: UUID, ended_before: datetime, removed_at: InstrumentedAttribute[datetime | None]
) -> Select[UUID]:
    return (
        select(Run.id)
        .where(
            Run.workspace_id == workspace_id,
            Run.finished_at < ended_before,
            Run.finalized_at.is_not(None),
            removed_at.is_(None),
            ~_is_kept(),
        )
        .order_by(Run.finished_at)
        .with_for_update(skip_locked=True)
    )


def _is_kept() -> ColumnElement[bool]:
    """Return the condition of runs that retention leaves alone."""
    changed = select(Cell.run_id).join(
        Change, or_(Change.before_cell_id == Cell.id, Change.after_cell_id == Cell.id)
    )
    return or_(
        Run.study.is_not(None),
        Run.example,
        Run.id.in_(select(func.unnest(Snapshot.run_ids))),
        Run.id.in_(changed.where(Change.status.in_(_STANDING))),
    )

"""SQL for schedules and their scheduled runs. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from backend.core.errors import NotFound
from backend.core.models import Host, Run, Schedule, ScheduledRun
from backend.core.people.access.viewer import Viewer
from backend.core.runs.status import RUN_ENDS
from backend.core.runs.visibility import lists, may_open
from backend.core.statuses import MissReason, RunStatus, ScheduledRunStatus, Visibility


def list_schedules(session: Session, viewer: Viewer) -> Sequence[Schedule]:
    """Return the schedules whose runs the viewer sees listed, ordered by name."""
    query = select(Schedule).order_by(Schedule.name, Schedule.id)
    if viewer.workspace is not None:
        query = query.where(Schedule.workspace_id == viewer.workspace)
    return [
        schedule
        for schedule in session.scalars(query)
        if lists(viewer, schedule.workspace_id, schedule.request.visibility)
    ]


def list_schedules_on(session: Session, host: str) -> Sequence[Schedule]:
    """Return the schedules whose runs take place on a host or get their load from it."""
    return [
        schedule
        for schedule in session.scalars(select(Schedule).order_by(Schedule.id))
        if host in schedule.request.named_hosts
    ]


def count_schedules(session: Session, workspace_id: UUID) -> int:
    query = select(func.count()).select_from(Schedule).where(Schedule.workspace_id == workspace_id)
    return session.scalar(query) or 0


def get_schedule(session: Session, schedule_id: UUID, viewer: Viewer) -> Schedule:
    """Return a schedule whose runs the viewer may open; raise NotFound if there is none."""
    schedule = session.get(Schedule, schedule_id)
    if schedule is None or not may_open(viewer, schedule.workspace_id, schedule.request.visibility):
        raise NotFound(f"There is no schedule {str(schedule_id)!r}.")
    return schedule


def find_schedule_of(session: Session, run_id: UUID) -> Schedule | None:
    """Return the schedule that started a run; None if none did."""
    query = select(Schedule).join(ScheduledRun, ScheduledRun.schedule_id == Schedule.id)
    return session.scalars(query.where(ScheduledRun.run_id == run_id).limit(1)).one_or_none()


def lock_schedule(session: Session, workspace_id: UUID, schedule_id: UUID) -> Schedule:
    """Return a schedule, locked until commit and read again; raise NotFound if there is none."""
    query = select(Schedule).where(
        Schedule.id == schedule_id, Schedule.workspace_id == workspace_id
    )
    query = query.with_for_update()
    found = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        raise NotFound(f"There is no schedule {str(schedule_id)!r}.")
    return found


def list_due(session: Session, now: datetime) -> Sequence[UUID]:
    """Return the ids of due schedules, the longest overdue first."""
    query = select(Schedule.id).where(Schedule.next_at <= now).order_by(Schedule.next_at)
    return session.scalars(query).all()


def claim_due(session: Session, schedule_id: UUID, now: datetime) -> Schedule | None:
    """Return a due schedule, locked until commit; None if another process has or had it."""
    query = select(Schedule).where(Schedule.id == schedule_id, Schedule.next_at <= now)
    return session.scalars(query.with_for_update(skip_locked=True)).one_or_none()


def find_unfinished(session: Session, schedule_id: UUID, host: str) -> Run | None:
    """Return a run of the schedule on a host that has not ended; None if there is none."""
    query = (
        select(Run)
        .join(ScheduledRun, ScheduledRun.run_id == Run.id)
        .join(Host, Host.id == Run.host_id)
        .where(
            ScheduledRun.schedule_id == schedule_id,
            Host.name == host,
            Run.status.not_in(RUN_ENDS),
        )
        .limit(1)
    )
    return session.scalars(query).one_or_none()


def list_watched(session: Session) -> list[tuple[UUID, UUID | None]]:
    """Return the ids of scheduled runs whose result has not arrived yet, and of their runs."""
    query = select(ScheduledRun.id, ScheduledRun.run_id).where(ScheduledRun.is_watched)
    return [(id_, run_id) for id_, run_id in session.execute(query.order_by(ScheduledRun.due_at))]


def claim_watched(session: Session, scheduled_run_id: UUID) -> ScheduledRun | None:
    """Return the watched scheduled run, locked; None when another transaction has locked it."""
    query = (
        select(ScheduledRun)
        .where(ScheduledRun.id == scheduled_run_id, ScheduledRun.is_watched)
        .options(
            joinedload(ScheduledRun.schedule),
            joinedload(ScheduledRun.host),
            selectinload(ScheduledRun.run).selectinload(Run.host),
        )
        .with_for_update(of=ScheduledRun, skip_locked=True)
    )
    return session.scalars(query).one_or_none()


class ScheduledRunRow(NamedTuple):
    """A scheduled run, with the name of its host and what lists show of its run.

    Attributes:
        host: None if no host was found for the run.
        run_slug: None, like the values after it, if no run was started.
    """

    schedule_id: UUID
    due_at: datetime
    status: ScheduledRunStatus
    reason: MissReason | None
    detail: str
    skipped: int
    expected_by: datetime | None
    host: str | None
    run_slug: str | None
    run_status: RunStatus | None
    run_summary: str | None
    run_workspace_id: UUID | None
    run_visibility: Visibility | None

    def has_run_for(self, viewer: Viewer) -> bool:
        """Return whether it started a run that the viewer sees listed."""
        if self.run_workspace_id is None or self.run_visibility is None:
            return False
        return lists(viewer, self.run_workspace_id, self.run_visibility)


def _select_newest() -> Select[*tuple[object, ...]]:
    # PostgreSQL stops at the first row of a higher number, so only the newest rows of an index are
    # read, however long a schedule has been running.
    number = func.dense_rank().over(order_by=ScheduledRun.due_at.desc()).label("number")
    shown = (
        ScheduledRun.schedule_id,
        ScheduledRun.due_at,
        ScheduledRun.status,
        ScheduledRun.reason,
        ScheduledRun.detail,
        ScheduledRun.skipped,
        ScheduledRun.expected_by,
    )
    numbered = (
        select(*shown, ScheduledRun.id, ScheduledRun.host_id, ScheduledRun.run_id, number)
        .where(ScheduledRun.schedule_id == Schedule.id)
        .lateral()
    )
    newest = numbered.c
    return (
        select(
            *(newest[column.key] for column in shown),
            Host.name,
            Run.slug,
            Run.status,
            Run.summary,
            Run.workspace_id,
            Run.visibility,
        )
        .select_from(Schedule)
        .join(numbered, newest.number <= bindparam("limit"))
        .outerjoin(Host, Host.id == newest.host_id)
        .outerjoin(Run, Run.id == newest.run_id)
        .where(Schedule.id.in_(bindparam("schedules", expanding=True)))
        .order_by(newest.due_at.desc(), newest.id)
    )


# Written once, because that takes as long as a part of its execution.
_NEWEST = _select_newest()


def list_scheduled_runs(
    session: Session, schedule_ids: Collection[UUID], limit: int
) -> dict[UUID, list[ScheduledRunRow]]:
    """Return the scheduled runs of the newest `limit` times of each schedule, newest first.

    A schedule with several hosts has several scheduled runs per time, in the order of its hosts.
    """
    rows = session.execute(_NEWEST, {"schedules": list(schedule_ids), "limit": limit})
    found: dict[UUID, list[ScheduledRunRow]] = {schedule_id: [] for schedule_id in schedule_ids}
    for row in map(ScheduledRunRow._make, rows):
        found[row.schedule_id].append(row)
    return found

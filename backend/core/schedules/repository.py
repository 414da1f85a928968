"""SQL for schedules and their occurrences. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased, joinedload, selectinload

from backend.core.errors import NotFound
from backend.core.models import Occurrence, Run, Schedule
from backend.core.runs.status import RUN_ENDS


def list_schedules(session: Session) -> Sequence[Schedule]:
    """All, by name."""
    return session.scalars(select(Schedule).order_by(Schedule.name, Schedule.id)).all()


def count_schedules(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Schedule)) or 0


def get_schedule(session: Session, schedule_id: UUID) -> Schedule:
    """Raises NotFound."""
    schedule = session.get(Schedule, schedule_id)
    if schedule is None:
        raise NotFound(f"There is no schedule {str(schedule_id)!r}.")
    return schedule


def lock_schedule(session: Session, schedule_id: UUID) -> Schedule:
    """Locked and read anew; raises NotFound."""
    query = select(Schedule).where(Schedule.id == schedule_id).with_for_update()
    found = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        raise NotFound(f"There is no schedule {str(schedule_id)!r}.")
    return found


def list_due(session: Session, now: datetime) -> Sequence[UUID]:
    """Ids of schedules whose time has come, the longest overdue first."""
    query = select(Schedule.id).where(Schedule.next_at <= now).order_by(Schedule.next_at)
    return session.scalars(query).all()


def claim_due(session: Session, schedule_id: UUID, now: datetime) -> Schedule | None:
    """Such a schedule, locked until commit; None when another has or had it."""
    query = select(Schedule).where(Schedule.id == schedule_id, Schedule.next_at <= now)
    return session.scalars(query.with_for_update(skip_locked=True)).one_or_none()


def find_unfinished(session: Session, schedule_id: UUID) -> Run | None:
    """A run of the schedule that has not ended."""
    query = (
        select(Run)
        .join(Occurrence, Occurrence.run_id == Run.id)
        .where(Occurrence.schedule_id == schedule_id, Run.status.not_in(RUN_ENDS))
        .limit(1)
    )
    return session.scalars(query).one_or_none()


def list_watched(session: Session) -> Sequence[UUID]:
    """Ids of occurrences whose result is still to come."""
    query = select(Occurrence.id).where(Occurrence.is_watched).order_by(Occurrence.due_at)
    return session.scalars(query).all()


def claim_watched(session: Session, occurrence_id: UUID) -> Occurrence | None:
    """Such an occurrence with schedule, run and host, locked; None when another has it."""
    query = (
        select(Occurrence)
        .where(Occurrence.id == occurrence_id, Occurrence.is_watched)
        .options(
            joinedload(Occurrence.schedule),
            selectinload(Occurrence.run).selectinload(Run.host),
        )
        .with_for_update(of=Occurrence, skip_locked=True)
    )
    return session.scalars(query).one_or_none()


def list_occurrences(
    session: Session, schedule_ids: Collection[UUID], limit: int
) -> dict[UUID, list[Occurrence]]:
    """Each schedule's newest `limit` occurrences with their runs, newest first."""
    place = func.row_number().over(
        partition_by=Occurrence.schedule_id, order_by=Occurrence.due_at.desc()
    )
    ranked = (
        select(Occurrence, place.label("place"))
        .where(Occurrence.schedule_id.in_(schedule_ids))
        .subquery()
    )
    newest = aliased(Occurrence, ranked)
    query = (
        select(newest)
        .where(ranked.c.place <= limit)
        .options(selectinload(newest.run))
        .order_by(newest.due_at.desc())
    )
    found: dict[UUID, list[Occurrence]] = {schedule_id: [] for schedule_id in schedule_ids}
    for occurrence in session.scalars(query):
        found[occurrence.schedule_id].append(occurrence)
    return found

"""SQL for what follows from a run's end: once, and patiently where it fails. Never commits."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from backend.core.models import Run
from backend.core.runs.repository import get_run

_FIRST = timedelta(seconds=10)
_FACTOR = 4
# For ever: what a version with a fault could not conclude, the next one may.
_LONGEST = timedelta(hours=1)


def pause_after(attempts: int) -> timedelta:
    """How long a run that could not be concluded is left alone: 10 s, 40 s, 160 s, 11 min, 43 min,
    then an hour each time.

    Args:
        attempts: those that failed, from 1.
    """
    pause = _FIRST
    for _ in range(attempts - 1):
        pause = min(pause * _FACTOR, _LONGEST)
    return pause


def list_unconcluded(session: Session) -> Sequence[UUID]:
    """Ended runs from which nothing was concluded yet, in the order of their ends; without those
    that failed to be and are left alone for a while.
    """
    query = select(Run.id).where(Run.finished_at.is_not(None), *_to_conclude())
    return session.scalars(query.order_by(Run.finished_at)).all()


def claim_unconcluded(session: Session, run_id: UUID) -> Run | None:
    """Such a run, locked until commit, as get_run; None when another worker has or had it.

    Runs of one host are concluded one after another: what two runs say of one series would else be
    found twice.
    """
    host_id = session.scalar(select(Run.host_id).where(Run.id == run_id))
    name = func.hashtextextended(f"tacho.conclude.{host_id}", 0)
    session.execute(select(func.pg_advisory_xact_lock(name)))
    query = select(Run.id).where(Run.id == run_id, *_to_conclude())
    claimed = session.scalar(query.with_for_update(skip_locked=True))
    return None if claimed is None else get_run(session, str(claimed))


def mark_concluded(session: Session, run: Run) -> None:
    """What follows from the run's end is written."""
    run.concluded_at = func.now()
    run.conclusion_error = run.conclude_after = None
    session.flush()


def note_failure(session: Session, run_id: UUID, reason: str) -> None:
    """What follows from the run's end could not be written; leave it alone, longer each time."""
    run = session.get(Run, run_id, with_for_update=True)
    if run is None or run.concluded_at is not None:
        return
    run.conclusion_attempts += 1
    run.conclusion_error = reason
    run.conclude_after = func.now() + pause_after(run.conclusion_attempts)
    session.flush()


def _to_conclude() -> tuple[ColumnElement[bool], ...]:
    # The clock, not the transaction's start: another may have tried while this one waited.
    is_due = or_(Run.conclude_after.is_(None), Run.conclude_after <= func.clock_timestamp())
    return Run.concluded_at.is_(None), is_due

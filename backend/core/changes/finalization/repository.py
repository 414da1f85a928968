"""SQL for the finalization of ended runs. Never commits."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from backend.core.log_context import RunIds
from backend.core.models import Run
from backend.core.runs.repository import get_run

_FIRST = timedelta(seconds=10)
_FACTOR = 4
# Retries never stop: a later version of Tacho may finalize a run that this one cannot.
_LONGEST = timedelta(hours=1)


def pause_after(attempts: int) -> timedelta:
    """Return the pause before the next attempt: 10 s, 40 s, 160 s, 11 min, 43 min, then an hour.

    Args:
        attempts: how many attempts have failed, at least 1.
    """
    pause = _FIRST
    for _ in range(attempts - 1):
        pause = min(pause * _FACTOR, _LONGEST)
    return pause


def list_unfinalized(session: Session) -> list[RunIds]:
    """Return the ids of ended runs that are due for finalization, ordered by end time.

    Runs whose last attempt failed are left out until their pause is over.
    """
    due = (Run.finished_at.is_not(None), *_to_finalize())
    rows = session.execute(select(Run.id, Run.request_id).where(*due).order_by(Run.finished_at))
    return [RunIds(*row) for row in rows]


def claim_unfinalized(session: Session, run_id: UUID) -> Run | None:
    """Return a run that is due, locked until commit; None if another dispatcher has or had it.

    Runs of the same host are finalized one after another, and None is also returned while another
    dispatcher has a run of the host. Otherwise two dispatchers could find the same change of a
    series.
    """
    host_id = session.scalar(select(Run.host_id).where(Run.id == run_id))
    name = func.hashtextextended(f"tacho.finalize.{host_id}", 0)
    if not session.scalar(select(func.pg_try_advisory_xact_lock(name))):
        return None
    query = select(Run.id).where(Run.id == run_id, *_to_finalize())
    claimed = session.scalar(query.with_for_update(skip_locked=True))
    return None if claimed is None else get_run(session, str(claimed))


def mark_finalized(session: Session, run: Run) -> None:
    """Record that the run is finalized."""
    run.finalized_at = func.now()
    run.finalization_error = run.finalize_after = None
    session.flush()


def note_failure(session: Session, run_id: UUID, reason: str) -> Run | None:
    """Record that finalization failed, and set the time of the next attempt.

    Returns None if the run is deleted or was finalized meanwhile.
    """
    run = session.get(Run, run_id, with_for_update=True)
    if run is None or run.finalized_at is not None:
        return None
    run.finalization_attempts += 1
    run.finalization_error = reason
    run.finalize_after = func.now() + pause_after(run.finalization_attempts)
    session.flush()
    return run


def _to_finalize() -> tuple[ColumnElement[bool], ...]:
    # Compared with the clock, not with the start of the transaction, because another dispatcher may
    # have tried while this one waited for the lock.
    is_due = or_(Run.finalize_after.is_(None), Run.finalize_after <= func.clock_timestamp())
    return Run.finalized_at.is_(None), is_due

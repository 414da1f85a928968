"""Scheduled backups: when the next one is due, and whether the last ones succeeded."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.core.models import Backup

# After a failure. A full disk or a server that restarts is often repaired by then.
RETRY_AFTER = timedelta(minutes=15)
# A backup of a large database takes a while, and waits for running trials before that.
_OVERDUE_AFTER = timedelta(hours=2)
_KEPT_ATTEMPTS = 100


@dataclass(frozen=True)
class BackupState:
    """The state of the scheduled backups.

    Attributes:
        succeeded_at: end of the last successful backup; None without one.
        failed_at: end of the last failed attempt, if it was later than `succeeded_at`.
        error: why that attempt failed.
        next_at: when the next backup begins.
        is_overdue: whether it should have ended by now.
        size_bytes: size of the last successful backup; None without one.
        duration_seconds: time from its start to its end, with the wait for running trials.
    """

    succeeded_at: datetime | None
    failed_at: datetime | None
    error: str | None
    next_at: datetime
    is_overdue: bool
    size_bytes: int | None = None
    duration_seconds: float | None = None


def read_backup_state(session: Session, now: datetime, *, is_on: bool) -> BackupState | None:
    """Return the state of the scheduled backups; None if none was ever attempted.

    Args:
        session: of the database.
        now: the present time.
        is_on: whether the settings plan backups. If not, the state ends when the next backup would
            be overdue, because backups were switched off then.
    """
    latest = find_latest(session)
    if latest is None:
        return None
    is_overdue = now > latest.next_at + _OVERDUE_AFTER
    if is_overdue and not is_on:
        return None
    success = _find_latest_with(session, is_success=True)
    failure = latest if latest.error is not None else None
    return BackupState(
        succeeded_at=success.ended_at if success else None,
        failed_at=failure.ended_at if failure else None,
        error=failure.error if failure else None,
        next_at=latest.next_at,
        is_overdue=is_overdue,
        size_bytes=success.size_bytes if success else None,
        duration_seconds=(
            (success.ended_at - success.started_at).total_seconds() if success else None
        ),
    )


def find_due_time(session: Session, every: timedelta) -> datetime | None:
    """Return when the next backup is due; None for now.

    Args:
        session: of the database.
        every: time between the starts of two backups, which may have been changed.
    """
    latest = find_latest(session)
    if latest is None:
        return None
    if latest.error is not None:
        return latest.ended_at + min(RETRY_AFTER, every)
    return latest.started_at + every


def store_success(
    session: Session, started_at: datetime, file: str, size_bytes: int, every: timedelta
) -> None:
    """Store a backup that was made."""
    _store(
        session,
        Backup(started_at=started_at, file=file, size_bytes=size_bytes, next_at=started_at + every),
    )


def store_failure(session: Session, started_at: datetime, error: str, every: timedelta) -> None:
    """Store an attempt that failed."""
    next_at = datetime.now(UTC) + min(RETRY_AFTER, every)
    _store(session, Backup(started_at=started_at, error=error, next_at=next_at))


def _store(session: Session, attempt: Backup) -> None:
    session.add(attempt)
    session.flush()
    delete_old(session, _KEPT_ATTEMPTS)


def find_latest(session: Session) -> Backup | None:
    """Return the attempt that ended last."""
    return session.scalars(select(Backup).order_by(Backup.ended_at.desc()).limit(1)).one_or_none()


def _find_latest_with(session: Session, *, is_success: bool) -> Backup | None:
    """Return the successful or the failed attempt that ended last."""
    ended = Backup.error.is_(None) if is_success else Backup.error.is_not(None)
    query = select(Backup).where(ended).order_by(Backup.ended_at.desc()).limit(1)
    return session.scalars(query).one_or_none()


def delete_old(session: Session, kept: int) -> None:
    """Delete all attempts but those that ended last."""
    newest = select(Backup.id).order_by(Backup.ended_at.desc()).limit(kept)
    session.execute(delete(Backup).where(Backup.id.not_in(newest)))

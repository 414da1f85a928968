"""SQL for scheduled backups. Never commits."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.core.models import Backup


def find_latest(session: Session) -> Backup | None:
    """Return the attempt that ended last."""
    return session.scalars(select(Backup).order_by(Backup.ended_at.desc()).limit(1)).one_or_none()


def find_latest_with(session: Session, *, is_success: bool) -> Backup | None:
    """Return the successful or the failed attempt that ended last."""
    ended = Backup.error.is_(None) if is_success else Backup.error.is_not(None)
    query = select(Backup).where(ended).order_by(Backup.ended_at.desc()).limit(1)
    return session.scalars(query).one_or_none()


def delete_old(session: Session, kept: int) -> None:
    """Delete all attempts but those that ended last."""
    newest = select(Backup.id).order_by(Backup.ended_at.desc()).limit(kept)
    session.execute(delete(Backup).where(Backup.id.not_in(newest)))

"""Stop before the disk of the database is full, because PostgreSQL would stop.

Below the limit no new run is accepted. Below half of it no queued trial starts: workers on other
machines cannot see the disk, so the dispatcher stores the shortage in the database.
"""

from datetime import timedelta
from pathlib import Path

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.config import Settings, get_settings
from backend.core.errors import Unavailable
from backend.core.free_space import explain_shortage
from backend.core.models import DatabaseShortage

_NAME, _VARIABLE = "the database", "TACHO_DATABASE_FREE_MB"
# A report of a dispatcher that has stopped since expires. It reports every ten seconds.
_REPORT_LASTS = timedelta(minutes=2)


def find_folder(settings: Settings) -> Path | None:
    """Return a folder on the disk of the database; None if nothing is known about this disk.

    That is so for a database on another machine, unless TACHO_DATABASE_FOLDER is set.
    """
    # The folder of the embedded PostgreSQL.
    folder = settings.database_folder or settings.data / "postgres"
    return folder if folder.exists() else None


def find_shortage(settings: Settings) -> str:
    """Return how much space the disk of the database lacks, and what to do; empty if none."""
    folder = find_folder(settings)
    if folder is None:
        return ""
    return explain_shortage({_NAME: folder}, settings.database_free_mb, _VARIABLE)


def find_trial_shortage(settings: Settings) -> str:
    """Return how much space the disk of the database lacks for trials; empty if none."""
    folder = find_folder(settings)
    if folder is None:
        return ""
    return explain_shortage({_NAME: folder}, settings.database_free_mb / 2, f"half of {_VARIABLE}")


def report_shortage(session: Session, shortage: str) -> None:
    """Store that no trial may start, and why; an empty text allows trials again."""
    if not shortage:
        if session.scalar(select(exists().select_from(DatabaseShortage))):
            session.execute(delete(DatabaseShortage))
        return
    values = {"detail": shortage, "reported_at": func.now()}
    row = insert(DatabaseShortage).values(id=1, **values)
    session.execute(row.on_conflict_do_update(index_elements=["id"], set_=values))


def find_reported_shortage(session: Session) -> str:
    """Return why no trial may start, as far as the dispatcher reports it now; empty if none."""
    return session.scalars(select(select_reported_shortage())).one()


def select_reported_shortage() -> ColumnElement[str]:
    """Return the column of what `find_reported_shortage` returns."""
    detail = select(DatabaseShortage.detail).where(_is_current()).limit(1)
    return func.coalesce(detail.scalar_subquery(), "")


def has_space_for_trials() -> ColumnElement[bool]:
    """Return the condition that trials may start."""
    return ~exists().where(_is_current())


def _is_current() -> ColumnElement[bool]:
    return DatabaseShortage.reported_at > func.now() - _REPORT_LASTS


def check_database_disk() -> None:
    """Raise Unavailable if the disk of the database has too little space for a new run."""
    if shortage := find_shortage(get_settings()):
        raise Unavailable(f"No new run is accepted. {shortage} Running trials go on.")

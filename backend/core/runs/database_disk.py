"""Refuse new runs before the disk of the database is full, because PostgreSQL would stop."""

from pathlib import Path

from backend.core.config import Settings, get_settings
from backend.core.errors import Unavailable
from backend.core.free_space import explain_shortage


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
    return explain_shortage(
        {"the database": folder}, settings.database_free_mb, "TACHO_DATABASE_FREE_MB"
    )


def check_database_disk() -> None:
    """Raise Unavailable if the disk of the database has too little space for a new run."""
    if shortage := find_shortage(get_settings()):
        raise Unavailable(f"No new run is accepted. {shortage} Running trials go on.")

"""Backups in one folder, named by the time at which they were made."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from backend.platform.backups import create_backup
from backend.platform.errors import PlatformError

_SUFFIX = ".backup"


def add_backup(database_url: str, folder: Path, prefix: str, kept: int) -> Path:
    """Back a database up to a new file, delete older files with this prefix, and return the file.

    Args:
        database_url: of the installation.
        folder: is created if it does not exist.
        prefix: beginning of the names of all backups of one kind.
        kept: number of backups of this kind that stay, at least 1.

    Raises:
        PlatformError: the backup or the folder cannot be written. No file is deleted.
    """
    moment = datetime.now(UTC)
    while (file := folder / f"{prefix}-{moment:%Y-%m-%dT%H-%M-%SZ}{_SUFFIX}").exists():
        moment += timedelta(seconds=1)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise PlatformError(
            f"The folder {folder} cannot be created: {error.strerror}. Choose another folder for "
            "backups."
        ) from error
    create_backup(database_url, file)
    for old in list_backups(folder, prefix)[kept:]:
        old.unlink(missing_ok=True)
    return file


def list_backups(folder: Path, prefix: str) -> list[Path]:
    """Return the backups of one kind, newest first."""
    return sorted(folder.glob(f"{prefix}-*{_SUFFIX}"), reverse=True)

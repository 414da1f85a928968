"""Backups in one folder, named by the time at which they were made."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from backend.core.free_space import MIB, find_free_bytes
from backend.platform.backups.archive import create_backup
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
    _create(folder)
    moment = datetime.now(UTC)
    while (file := folder / f"{prefix}-{moment:%Y-%m-%dT%H-%M-%SZ}{_SUFFIX}").exists():
        moment += timedelta(seconds=1)
    create_backup(database_url, file)
    for old in list_backups(folder, prefix)[kept:]:
        old.unlink(missing_ok=True)
    return file


def list_backups(folder: Path, prefix: str) -> list[Path]:
    """Return the backups of one kind, newest first."""
    return sorted(folder.glob(f"{prefix}-*{_SUFFIX}"), reverse=True)


def check_folder(folder: Path, prefix: str) -> None:
    """Check that another backup fits into a folder, judged by the size of the newest one.

    Args:
        folder: is created if it does not exist.
        prefix: beginning of the names of all backups of one kind.

    Raises:
        PlatformError: the folder cannot be written, or its disk has too little free space.
    """
    _create(folder)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise PlatformError(
            f"The folder {folder} cannot be written: {error.strerror}. Correct its disk or its "
            "rights, or choose another folder for backups."
        ) from error
    newest = next(iter(list_backups(folder, prefix)), None)
    needed_bytes = newest.stat().st_size if newest is not None else 0
    free_bytes = find_free_bytes(folder)
    if free_bytes < needed_bytes:
        raise PlatformError(
            f"Only {free_bytes / MIB:.1f} MiB are free on the disk of {folder}, and the newest "
            f"backup has {needed_bytes / MIB:.1f} MiB. Free some space there, or choose another "
            "folder for backups."
        )


def _create(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise PlatformError(
            f"The folder {folder} cannot be created: {error.strerror}. Choose another folder for "
            "backups."
        ) from error

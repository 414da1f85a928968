"""Free space of disks, and the explanation of a shortage."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MIB = 1024**2
_GIB = 1024**3


@dataclass(frozen=True)
class DiskSpace:
    """The disk of a folder."""

    size_bytes: int
    free_bytes: int


def read_disk(folder: Path) -> DiskSpace:
    """Return the disk of a folder, which need not exist yet."""
    usage = shutil.disk_usage(_find_existing(folder))
    return DiskSpace(usage.total, usage.free)


def find_device(folder: Path) -> int:
    """Return the number of the disk of a folder, which need not exist yet."""
    return _find_existing(folder).stat().st_dev


def find_free_bytes(folder: Path) -> int:
    """Return the free space of the disk of a folder, which need not exist yet."""
    return read_disk(folder).free_bytes


def explain_shortage(folders: Mapping[str, Path], least_mb: float, setting: str) -> str:
    """Return which disk has too little free space, and what to do; empty if none.

    Args:
        folders: by what they hold, such as `the data folder`.
        least_mb: free space that each disk needs, in MiB.
        setting: the variable that sets it, as the message names it.
    """
    for name, folder in folders.items():
        free_bytes = find_free_bytes(folder)
        if free_bytes < least_mb * MIB:
            return (
                f"Only {free_bytes / _GIB:.1f} GiB are free on the disk of {name}, and "
                f"{least_mb * MIB / _GIB:.1f} GiB are needed ({setting}). Free some space there."
            )
    return ""


def _find_existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    return next(parent for parent in (folder, *folder.parents) if parent.exists())

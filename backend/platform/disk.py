"""Full disks: whether one is, and what to do."""

import shutil
from pathlib import Path

_MIB = 1024**2
# PostgreSQL makes files of 16 MiB; with less free space it stops.
_FULL_BELOW_BYTES = 20 * _MIB


def is_disk_full(folder: Path) -> bool:
    """Whether so little space is left that PostgreSQL cannot write."""
    return _free_bytes(folder) < _FULL_BELOW_BYTES


def explain_full_disk(folder: Path) -> str:
    """What is wrong and what to do, for a person."""
    return (
        f"the disk of TACHO_DATA={folder} is full ({_free_bytes(folder) / _MIB:.0f} MiB free). "
        "Free some space, or set TACHO_DATA to a folder on another disk"
    )


def _free_bytes(folder: Path) -> int:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(existing).free

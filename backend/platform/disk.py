"""Full disks: whether one is, and what to do."""

import errno
import os
import shutil
from pathlib import Path

_MIB = 1024**2
# PostgreSQL makes files of 16 MiB; with less free space it stops.
_FULL_BELOW_BYTES = 20 * _MIB
# As programs write it to their logs, in any case; npm writes the name of the code.
DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})
_WORDS = (*(os.strerror(code).lower() for code in sorted(DISK_FULL_ERRORS)), "enospc")


def mentions_full_disk(log: str) -> bool:
    """Whether a program's output contains the operating system's words for a full disk."""
    return any(words in log.lower() for words in _WORDS)


def is_disk_full(folder: Path, below_bytes: int = _FULL_BELOW_BYTES) -> bool:
    """Whether so little space is left that PostgreSQL, or a file of so many bytes, has no room."""
    return _free_bytes(folder) < below_bytes


def explain_full_disk(folder: Path) -> str:
    """What is wrong and what to do, for a person."""
    return (
        f"the disk of TACHO_DATA={folder} is full ({_free_bytes(folder) / _MIB:.0f} MiB free). "
        "Free some space, or set TACHO_DATA to a folder on another disk"
    )


def _free_bytes(folder: Path) -> int:
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(existing).free

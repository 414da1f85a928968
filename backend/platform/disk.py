"""Detect full disks, and explain what to do."""

import errno
import os
from pathlib import Path

from backend.core.free_space import MIB, find_free_bytes

# PostgreSQL creates files of 16 MiB and stops if there is less free space.
_FULL_BELOW_BYTES = 20 * MIB
# The words that programs log, ignoring case. npm logs the name of the error code.
DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})
_WORDS = (*(os.strerror(code).lower() for code in sorted(DISK_FULL_ERRORS)), "enospc")


def mentions_full_disk(log: str) -> bool:
    """Return whether the output of a program reports a full disk."""
    return any(words in log.lower() for words in _WORDS)


def is_disk_full(folder: Path, below_bytes: int = _FULL_BELOW_BYTES) -> bool:
    """Return whether the disk has no space for PostgreSQL or for a file of this size."""
    return find_free_bytes(folder) < below_bytes


def explain_full_disk(folder: Path) -> str:
    """Return what is wrong and what to do, in one sentence."""
    return (
        f"the disk of TACHO_DATA={folder} is full ({find_free_bytes(folder) / MIB:.0f} MiB free). "
        "Free some space, or set TACHO_DATA to a folder on another disk"
    )

"""The log files of the parts under `tacho up`, bounded in size and number.

`api.log` is written. `api.log.1` to `api.log.4` hold what was written before, the newest first.
"""

import os
import shutil
from pathlib import Path

LONGEST_LOG_BYTES = 10 * 1024 * 1024
OLD_LOGS = 4


def rotate_if_long(log: Path, longest_bytes: int = LONGEST_LOG_BYTES, kept: int = OLD_LOGS) -> bool:
    """Move the content of a log that is too long to an older file; return whether it was.

    The part has the file open for appending, so the content is copied and the file emptied. Lines
    that arrive between both are lost. Of a log that grew much too long, only the end is kept.
    """
    try:
        size_bytes = log.stat().st_size
    except FileNotFoundError:
        return False
    if size_bytes <= longest_bytes:
        return False
    for number in range(kept, 1, -1):
        newer = numbered(log, number - 1)
        if newer.exists():
            newer.replace(numbered(log, number))
    _copy_end(log, numbered(log, 1), max(0, size_bytes - longest_bytes))
    os.truncate(log, 0)
    return True


def numbered(log: Path, number: int) -> Path:
    """Return the path of an older file of a log."""
    return log.with_name(f"{log.name}.{number}")


def _copy_end(log: Path, copy: Path, begin: int) -> None:
    """Copy a log from a position on. On a full disk, nothing is left of it."""
    try:
        with log.open("rb") as source, copy.open("wb") as target:
            source.seek(begin)
            shutil.copyfileobj(source, target)
    except OSError:
        copy.unlink(missing_ok=True)

"""Notices a make that waits for us although somebody asked it to leave.

Ctrl-C in a terminal reaches make and Tacho alike, and a SIGTERM is passed on by make. A SIGINT to
make alone is not: it waits for its children, silently and for ever, with the signal blocked.
"""

import os
import re
import signal
from pathlib import Path


def parse_blocked_signals(status: str) -> int:
    """The mask of blocked signals in the text of `/proc/<pid>/status`; 0 when there is none."""
    found = re.search(r"^SigBlk:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return int(found[1], 16) if found else 0


def is_make_interrupted() -> bool:
    """Whether our parent is such a make (Linux; elsewhere no process tells)."""
    parent = Path(f"/proc/{os.getppid()}")
    try:
        if (parent / "comm").read_text().strip() not in {"make", "gmake"}:
            return False
        blocked = parse_blocked_signals((parent / "status").read_text())
    except OSError:
        return False
    return bool(blocked & 1 << (signal.SIGINT - 1))

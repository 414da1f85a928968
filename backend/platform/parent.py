"""Detect that make, our parent, was interrupted but waits for us.

Ctrl-C in a terminal reaches both make and Tacho, and make passes SIGTERM on. A SIGINT to
make alone is not passed on: make then waits for its children without end, with the signal blocked.
"""

import os
import re
import signal
from pathlib import Path


def parse_blocked_signals(status: str) -> int:
    """Return the mask of blocked signals in the text of `/proc/<pid>/status`; 0 if there is
    none."""
    found = re.search(r"^SigBlk:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return int(found[1], 16) if found else 0


def is_make_interrupted() -> bool:
    """Return whether the parent is a make that was interrupted (on Linux; elsewhere False)."""
    parent = Path(f"/proc/{os.getppid()}")
    try:
        if (parent / "comm").read_text().strip() not in {"make", "gmake"}:
            return False
        blocked = parse_blocked_signals((parent / "status").read_text())
    except OSError:
        return False
    return bool(blocked & 1 << (signal.SIGINT - 1))

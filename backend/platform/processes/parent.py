"""Detect that make, our parent, has ended, or was interrupted but waits for us.

Ctrl-C in a terminal reaches both make and Tacho, and make passes SIGTERM on. A SIGINT to
make alone is not passed on: make then waits for its children without end, with the signal blocked.
"""

import os
import re
import signal
from pathlib import Path

from backend.platform.processes.guard import end_with_parent


def parse_blocked_signals(status: str) -> int:
    """Return the mask of blocked signals in the text of `/proc/<pid>/status`; 0 if there is
    none."""
    found = re.search(r"^SigBlk:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return int(found[1], 16) if found else 0


def hang_up_with_make() -> None:
    """Send this process SIGHUP, as when a terminal is closed, when its parent ends, if that is a
    make (on Linux).

    Any other parent may end first, such as a shell from which Tacho was put into the background.
    """
    parent = os.getppid()
    if _is_make(parent):
        end_with_parent(signal.SIGHUP)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGHUP)


def is_make_interrupted() -> bool:
    """Return whether the parent is a make that was interrupted (on Linux; elsewhere False)."""
    parent = os.getppid()
    if not _is_make(parent):
        return False
    try:
        blocked = parse_blocked_signals(Path(f"/proc/{parent}/status").read_text())
    except OSError:
        return False
    return bool(blocked & 1 << (signal.SIGINT - 1))


def _is_make(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() in {"make", "gmake"}
    except OSError:
        return False

"""Stop processes that a killed `tacho up` left behind, and reap adopted processes."""

import os
import signal
import time
from collections.abc import Collection
from contextlib import suppress

import psutil

from backend.platform.layout import Layout
from backend.platform.processes.programs import find_recorded, kill_all, lives, session_members

# SIGINT makes PostgreSQL disconnect all clients and shut down cleanly.
_STOP_SIGNALS = {"database": signal.SIGINT}
_SERVERS = ("broker", "database")
_GRACE_S = 5.0
_POLL_S = 0.05


def reap_adopted(known: Collection[int]) -> None:
    """Reap adopted processes that have ended, except `known`, which other code waits for.

    If one of these has ended, too, some adopted ones may be left for the next call.
    """
    # Several times a second, so without a list of all processes, which takes milliseconds.
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    with suppress(ChildProcessError):
        while (ended := os.waitid(os.P_ALL, 0, look)) is not None and ended.si_pid not in known:
            os.waitpid(ended.si_pid, 0)


def stop_leftovers(layout: Layout) -> list[str]:
    """Stop the parts that an earlier, killed `tacho up` left running, and return their names.

    Only processes whose id and start time match their record, and their sessions, are stopped.
    Servers stop last, so that their clients can disconnect first.
    """
    records = sorted(layout.run.glob("*.json"))
    left = {record.stem: process for record in records if (process := find_recorded(record))}
    _stop({name: process for name, process in left.items() if name not in _SERVERS})
    _stop({name: process for name, process in left.items() if name in _SERVERS})
    for record in records:
        record.unlink(missing_ok=True)
    return list(left)


def _stop(parts: dict[str, psutil.Process]) -> None:
    members = [
        member
        for process in parts.values()
        for member in {*session_members(process.pid), *process.children(recursive=True)}
    ]
    for name, process in parts.items():
        process.send_signal(_STOP_SIGNALS.get(name, signal.SIGTERM))
    deadline = time.monotonic() + _GRACE_S
    while any(lives(member) for member in members) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    kill_all([member for member in members if lives(member)])

"""Let chosen programs of a benchmark run before all others of the machine."""

import os
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

import psutil

# Below that of the links (link_module/direction.go), which carry the packets of these programs.
PRIORITY = 10
_POLL_SECONDS = 0.2


@contextmanager
def prioritized(names: Collection[str]) -> Iterator[None]:
    """Give descendants of this process a real-time priority, also those that start later.

    Where the parts of a benchmark share few CPUs, the program that is measured would wait for the
    database or for Celery, as it would not on machines of its own. This needs root.

    Args:
        names: names of the programs, as in /proc/PID/comm.
    """
    ended = threading.Event()

    def raise_all() -> None:
        done: set[int] = set()
        while not ended.wait(_POLL_SECONDS):
            _raise_new(names, done)

    thread = threading.Thread(target=raise_all, name="priorities", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _raise_new(names: Collection[str], done: set[int]) -> None:
    """Raise the threads that are not in `done`, and add them. Threads inherit the priority."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error, ProcessLookupError):
            if process.name() not in names:
                continue
            for task in process.threads():
                if task.id not in done:
                    os.sched_setscheduler(task.id, os.SCHED_RR, os.sched_param(PRIORITY))
                    done.add(task.id)

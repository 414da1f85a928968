"""Let chosen programs of a benchmark run before all others of the machine."""

import os
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

# Below that of the links (link_module/direction.go), which carry the packets of these programs.
PRIORITY = 10
_POLL_SECONDS = 0.2

# Processes in a group of cgroup v1 may only have the priority within a budget: microseconds per
# second of each CPU, at most as many as the group above has.
_CGROUPS = Path("/sys/fs/cgroup/cpu")
_BUDGET = "cpu.rt_runtime_us"
_BUDGET_OF_PARENT_US = 900_000
_BUDGET_US = 150_000
# The groups of an ended trial, which still count, are removed within seconds.
_REFUSALS = 25


@contextmanager
def prioritized(names: Collection[str]) -> Iterator[None]:
    """Give descendants of this process a real-time priority, also those that start later.

    Where the parts of a benchmark share few CPUs, the program that is measured would wait for the
    database or for Celery, as it would not on machines of its own. A program must not use more than
    15 % of each CPU. This needs root.

    Args:
        names: names of the programs, as in /proc/PID/comm.

    Raises:
        OSError: at the end of the context, if the kernel kept refusing a priority.
    """
    ended = threading.Event()
    refusals: list[OSError] = []

    def raise_all() -> None:
        done: set[int] = set()
        while len(refusals) < _REFUSALS and not ended.wait(_POLL_SECONDS):
            try:
                _raise_new(names, done)
                refusals.clear()
            except OSError as error:
                refusals.append(error)

    thread = threading.Thread(target=raise_all, name="priorities", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if len(refusals) == _REFUSALS:
        raise refusals[-1]


def _raise_new(names: Collection[str], done: set[int]) -> None:
    """Raise the threads that are not in `done`, and add them. Threads inherit the priority."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error, ProcessLookupError, FileNotFoundError):
            if process.name() not in names:
                continue
            for task in process.threads():
                if task.id not in done:
                    _grant_budget(process.pid)
                    os.sched_setscheduler(task.id, os.SCHED_RR, os.sched_param(PRIORITY))
                    done.add(task.id)


def _grant_budget(pid: int) -> None:
    """Let the control group of a process have real-time priorities, where it needs permission."""
    lines = Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8").splitlines()
    places = [place for _, name, place in (line.split(":", 2) for line in lines) if name == "cpu"]
    for place in places:
        group = _CGROUPS / place.strip("/")
        # The nearest to the root first.
        for folder in (*reversed(group.parents), group):
            budget = folder / _BUDGET
            if not folder.is_relative_to(_CGROUPS) or folder == _CGROUPS or not budget.exists():
                continue
            wanted = _BUDGET_US if folder == group else _BUDGET_OF_PARENT_US
            if int(budget.read_text(encoding="utf-8")) < wanted:
                budget.write_text(str(wanted), encoding="utf-8")

"""Let chosen programs of a benchmark run before all others of the machine."""

import os
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tools.benchmarks.waiting import has_come

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
_REMOVAL_SECONDS = 5.0


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
    earlier: dict[Path, str] = {}

    def raise_all() -> None:
        done: set[int] = set()
        while len(refusals) < _REFUSALS and not ended.wait(_POLL_SECONDS):
            try:
                _raise_new(names, done, earlier)
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
        has_come(lambda: _has_returned(earlier), _REMOVAL_SECONDS)
    if len(refusals) == _REFUSALS:
        raise refusals[-1]


def _raise_new(names: Collection[str], done: set[int], earlier: dict[Path, str]) -> None:
    """Raise the threads that are not in `done`, and add them. Threads inherit the priority."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error, ProcessLookupError, FileNotFoundError):
            if process.name() not in names:
                continue
            for task in process.threads():
                if task.id not in done:
                    _grant_budget(process.pid, earlier)
                    os.sched_setscheduler(task.id, os.SCHED_RR, os.sched_param(PRIORITY))
                    done.add(task.id)


def _grant_budget(pid: int, earlier: dict[Path, str]) -> None:
    """Let the control group of a process have real-time priorities, where it needs permission.

    Args:
        earlier: gets the files that are written, with their contents.
    """
    for line in Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, place = line.split(":", 2)
        if "cpu" not in controllers.split(","):
            continue
        folder, own = _CGROUPS, _CGROUPS / place.strip("/")
        for name in Path(place).parts[1:]:
            folder /= name
            budget = folder / _BUDGET
            wanted = _BUDGET_US if folder == own else _BUDGET_OF_PARENT_US
            if budget.exists() and int(found := budget.read_text(encoding="utf-8")) < wanted:
                budget.write_text(str(wanted), encoding="utf-8")
                earlier.setdefault(budget, found)


def _has_returned(earlier: Mapping[Path, str]) -> bool:
    """Write the earlier budgets; return whether the kernel took them. It does not while a group
    below has more."""
    try:
        # Groups before the groups above them.
        for budget, text in reversed(list(earlier.items())):
            if budget.exists():
                budget.write_text(text, encoding="utf-8")
    except OSError:
        return False
    return True

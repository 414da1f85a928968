"""Queue runs one after another, like nightly runs, and contend for the CPUs of services."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from backend.core.catalog.folders import Catalogue
from backend.core.measurement.measurements.verdicts import EXCLUDING_FROM_HISTORY
from tools.benchmarks.api import Document
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import expect

PLAIN = "node"
_LOAD = {"rate_rps": 200, "warm_up_seconds": 1, "duration_seconds": 2}
_WAIT_SECONDS = 900
_REGISTRATION_SECONDS = 60

_BURNER = """
import os, sys, time
parent, share = int(sys.argv[1]), float(sys.argv[2])
while os.getppid() == parent:
    begun = time.perf_counter()
    while time.perf_counter() < begun + share / 1000:
        pass
    time.sleep((1 - share) / 1000)
"""


def await_registration(stack: Stack, services: Path, slugs: Sequence[str]) -> None:
    """Wait until new runs measure the present files of these services.

    The worker registers changed files with one of its next heartbeats.

    Raises:
        TimeoutError: they are not registered.
    """
    catalogue = Catalogue(services)
    digests = {slug: catalogue.framework_digest(slug) for slug in slugs}

    def are_registered() -> bool:
        return all(
            stack.api.get(f"/frameworks/{slug}")["digest"] == digest
            for slug, digest in digests.items()
        )

    problem = f"the files of {', '.join(slugs)} in {services} are not registered"
    expect(are_registered, _REGISTRATION_SECONDS, problem)


def land(stack: Stack, slugs: Sequence[str], count: int, trials: int) -> list[Document]:
    """Queue a number of runs of these services × hello, and wait for all of them.

    Raises:
        RuntimeError: a run did not succeed.
    """
    cells = [
        {"framework": slug, "scenario": "hello", "profile": "rate-quick", "parameters": _LOAD}
        for slug in slugs
    ]
    queued = [stack.create_run(cells, trials=trials) for _ in range(count)]
    return [stack.api.await_success(run, count * _WAIT_SECONDS) for run in queued]


def land_points(stack: Stack, slugs: Sequence[str], trials: int, points: int) -> list[Document]:
    """Queue runs until each service has this number of valid points.

    Raises:
        RuntimeError: half of the points are invalid, so the machine is too busy to measure.
    """
    runs: list[Document] = []
    while missing := points - min(count_points(runs, slugs).values()):
        if len(runs) + missing > 2 * points:
            raise RuntimeError(f"{len(runs)} runs gave {count_points(runs, slugs)} points.")
        runs += land(stack, slugs, missing, trials)
    return runs


def is_point(cell: Document) -> bool:
    """Return whether a result is a valid point of a history."""
    return not any(item["verdict"] in EXCLUDING_FROM_HISTORY for item in cell["verdicts"])


def count_points(runs: Sequence[Document], slugs: Sequence[str]) -> dict[str, int]:
    """Return the number of valid points of each service, in the order of the cells."""
    return {
        slug: sum(is_point(run["cells"][position]) for run in runs)
        for position, slug in enumerate(slugs)
    }


def land_until(
    stack: Stack,
    slugs: Sequence[str],
    trials: int,
    slug: str,
    most: int,
    is_over: Callable[[Sequence[Document]], bool],
) -> tuple[int, list[Document]]:
    """Queue runs until the new, completely tested changes fulfil the condition, until a service has
    `most` valid points, or until there are twice as many runs.

    Returns:
        The number of points of that service, and all new changes.
    """
    known = {change["id"] for change in list_changes(stack)}
    runs: list[Document] = []
    changes: list[Document] = []
    while not is_over(changes):
        if count_points(runs, slugs)[slug] == most or len(runs) == 2 * most:
            break
        runs += land(stack, slugs, 1, trials)
        _await_finalization(stack, runs[-1])
        changes = _await_decisions(stack, known)
    return count_points(runs, slugs)[slug], changes


def list_changes(stack: Stack, **query: str) -> list[Document]:
    """Return all changes, newest first."""
    page = stack.api.get("/changes", **query)
    found: list[Document] = page["items"]
    while page["next"]:
        page = stack.api.get("/changes", **query, cursor=page["next"])
        found += page["items"]
    return found


@contextmanager
def contended(cpus: Sequence[int], share: float) -> Iterator[None]:
    """Run a program on each of these CPUs that takes a share of every millisecond, with priority
    over all others.

    A hypervisor does the same for other guests. Busy loops of equal priority would take nothing
    from a service that needs less than its fair share. This requires root. The programs end with
    the context, or with this process.
    """
    burners: list[subprocess.Popen[bytes]] = []
    try:
        for cpu in cpus:
            command = [sys.executable, "-c", _BURNER, str(os.getpid()), str(share)]
            burner = subprocess.Popen(command, stdin=subprocess.DEVNULL)
            burners.append(burner)
            os.sched_setaffinity(burner.pid, {cpu})
            os.sched_setscheduler(burner.pid, os.SCHED_FIFO, os.sched_param(1))
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def _await_finalization(stack: Stack, run: Document) -> None:
    """Wait until the run is finalized: summaries and changes are written in one transaction."""
    cells = partial(stack.api.get, "/cells", run=run["slug"])
    expect(lambda: cells()["items"], _WAIT_SECONDS, f"run {run['slug']} is not finalized")


def _await_decisions(stack: Stack, known: set[str]) -> list[Document]:
    changes: list[Document] = []

    def are_decided() -> bool:
        changes[:] = [change for change in list_changes(stack) if change["id"] not in known]
        return not any(change["status"] == "testing" for change in changes)

    expect(are_decided, _WAIT_SECONDS, "a confirmation run has not ended")
    return changes

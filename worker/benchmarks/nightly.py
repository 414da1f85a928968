"""Runs that land one after another, as nightly ones do: of services whose work can be changed."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from worker.benchmarks.api import Document, describe
from worker.benchmarks.stack import Stack

PLAIN = "node"
_LOAD = {"rate_rps": 200, "warm_up_seconds": 1, "duration_seconds": 2}
_WAIT_SECONDS = 900
_POLL_SECONDS = 0.5

_SOURCE = Path("frameworks/javascript/node")
_HELLO = 'return sendText(response, "Hello World!");'
# Native code: what a just-in-time compiler makes of a loop differs from start to start by half.
_WORK = """
import { createHash } from "node:crypto";
const block = Buffer.alloc(1024);
function work(kilobytes) {
  const hash = createHash("sha256");
  for (let done = 0; done < kilobytes; done += 1) hash.update(block);
  hash.digest();
}
"""
_BURNER = """
import os, sys, time
parent, share = int(sys.argv[1]), float(sys.argv[2])
while os.getppid() == parent:
    begun = time.perf_counter()
    while time.perf_counter() < begun + share / 1000:
        pass
    time.sleep((1 - share) / 1000)
"""


def write_service(services: Path, slug: str, kilobytes: int, remark: str = "") -> None:
    """`node` under another name, which hashes so much in each answer to /hello.

    Another `remark` makes another build that does the same.
    """
    source, folder = services / _SOURCE, services / _SOURCE.parent / slug
    shutil.copytree(source, folder, dirs_exist_ok=True)
    manifest = (source / "service.toml").read_text()
    named = manifest.replace('slug = "node"', f'slug = "{slug}"').replace('"Node.js"', f'"{slug}"')
    (folder / "service.toml").write_text(named)
    server = (source / "server.js").read_text()
    assert _HELLO in server
    worked = server.replace(_HELLO, f"work({kilobytes}); {_HELLO}")
    (folder / "server.js").write_text(f"{worked}{_WORK}{remark}")


def land(stack: Stack, slugs: Sequence[str], count: int, trials: int) -> list[Document]:
    """So many runs of these services × hello, queued at once and taken one after another.

    Raises:
        RuntimeError: one did not succeed.
    """
    cells = [
        {"framework": slug, "scenario": "hello", "profile": "rate-quick", "parameters": _LOAD}
        for slug in slugs
    ]
    queued = [stack.create_run(cells, trials=trials) for _ in range(count)]
    ended = [stack.api.await_run(run, count * _WAIT_SECONDS) for run in queued]
    for run in ended:
        if run["status"] != "succeeded":
            raise RuntimeError(f"A run did not succeed: {describe(run)}")
    return ended


def land_points(stack: Stack, slugs: Sequence[str], trials: int, points: int) -> list[Document]:
    """Runs until each service has so many points that count.

    Raises:
        RuntimeError: half of them did not: the machine is too busy to measure anything.
    """
    runs: list[Document] = []
    while missing := points - min(count_points(runs, slugs).values()):
        if len(runs) + missing > 2 * points:
            raise RuntimeError(f"{len(runs)} runs gave {count_points(runs, slugs)} points.")
        runs += land(stack, slugs, missing, trials)
    return runs


def count_points(runs: Sequence[Document], slugs: Sequence[str]) -> dict[str, int]:
    """Return in how many runs each service was not excluded; cells are in this order."""
    return {
        slug: sum(not run["cells"][position]["excluded"] for run in runs)
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
    """Run after run, until the changes that are new since, and no longer tested, are what is asked
    for, or a service has `most` points that count, or after twice as many runs.

    Returns:
        How many points of that service it took, and the changes of all that are new since.
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
    """All changes, newest first."""
    found: list[Document] = stack.api.get("/changes", **query)["items"]
    return found


def has_come(seen: Callable[[], object], seconds: float) -> bool:
    """Whether something is seen within so many seconds."""
    deadline = time.monotonic() + seconds
    while not seen():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


@contextmanager
def contended(cpus: Sequence[int], share: float) -> Iterator[None]:
    """A program on each of these CPUs that takes so much of every millisecond, before all others.

    As a hypervisor does for its other guests. Busy loops of equal rank would take nothing from a
    service that needs less than its fair share; this asks for root. The programs end with the
    context, or with this process.
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
    if not has_come(lambda: stack.api.get("/cells", run=run["slug"])["items"], _WAIT_SECONDS):
        raise TimeoutError(f"Run {run['slug']} was not finalized.")


def _await_decisions(stack: Stack, known: set[str]) -> list[Document]:
    changes: list[Document] = []

    def are_decided() -> bool:
        changes[:] = [one for one in list_changes(stack) if one["id"] not in known]
        return not any(one["status"] == "testing" for one in changes)

    if not has_come(are_decided, _WAIT_SECONDS):
        raise TimeoutError(f"A confirmation run did not end: {changes[0]['reason']}")
    return changes

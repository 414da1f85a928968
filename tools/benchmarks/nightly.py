"""Follow the runs of a schedule, and contend for the CPUs of services."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backend.core.catalog.folders import Catalogue
from tools.benchmarks.api import Document
from tools.benchmarks.stack import Stack
from tools.benchmarks.waiting import expect

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

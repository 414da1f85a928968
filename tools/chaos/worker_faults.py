"""Faults of the worker that take more than a signal."""

import signal
import time

import psutil

from tools.benchmarks.waiting import end_process, has_come
from tools.chaos.injected import Injected
from tools.chaos.installation import ChaosInstallation
from tools.chaos.victims import send

_CRASHES = 7
_CRASH_LOOP_S = 60.0
_SECOND_WORKER_S = 45.0


def run_second_worker(installation: ChaosInstallation, injected: Injected) -> None:
    """Start a second worker of the same host, and end it again."""
    log = installation.layout.logs / "second-worker.log"
    log.unlink(missing_ok=True)
    second = installation.start_worker(installation.host, log)
    says_why = b"nother worker serves"
    has_come(
        lambda: says_why in log.read_bytes() or second.poll() is not None, _SECOND_WORKER_S, 0.1
    )
    time.sleep(2)  # it must not do anything after this message
    injected.notes.append("it ended by itself" if second.poll() is not None else "it waits")
    if says_why not in log.read_bytes():
        injected.problems.append(
            "the second worker does not report that another worker serves this host"
        )
    if not end_process(second, 15):
        injected.problems.append("the second worker did not end within 15 s of SIGTERM")


def crash_worker(installation: ChaosInstallation, injected: Injected) -> None:
    """Kill the worker again and again, each time before it can claim a trial."""
    deadline = time.monotonic() + _CRASH_LOOP_S
    last: psutil.Process | None = None
    crashes = 0
    while crashes < _CRASHES and time.monotonic() < deadline:
        part = installation.find_part("worker")
        if part is None or part == last:
            time.sleep(0.05)
            continue
        time.sleep(0.3)
        crashes += send(part, signal.SIGKILL)
        last = part
    if crashes < _CRASHES:
        injected.notes.append(f"restarted {crashes} times in {_CRASH_LOOP_S:.0f} s")

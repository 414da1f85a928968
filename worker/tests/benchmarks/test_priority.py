"""Programs of a benchmark get a real-time priority, also those that start later."""

import os
import subprocess
import sys
import time

import pytest

from worker.benchmarks.priority import prioritized

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="real-time priorities need root")
_WAIT_SECONDS = 30
# Starts another process, as a worker starts a service.
_PARENT = "import subprocess; subprocess.run(['sleep', '60'])"


def _policy_of(name: str, parent: int) -> int | None:
    """Return the scheduling policy of the program with this name below a process."""
    listed = subprocess.run(
        ["pgrep", "--parent", str(parent), name], capture_output=True, text=True, check=False
    )
    pids = listed.stdout.split()
    return os.sched_getscheduler(int(pids[0])) if pids else None


def test_a_named_descendant_gets_a_priority_and_its_parent_does_not() -> None:
    with prioritized({"sleep"}), subprocess.Popen([sys.executable, "-c", _PARENT]) as parent:
        deadline = time.monotonic() + _WAIT_SECONDS
        try:
            while _policy_of("sleep", parent.pid) != os.SCHED_RR:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert os.sched_getscheduler(parent.pid) == os.SCHED_OTHER
        finally:
            subprocess.run(["pkill", "--parent", str(parent.pid)], check=False)

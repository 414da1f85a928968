"""Programs of a benchmark get a real-time priority, also those that start later."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.benchmarks.priority import prioritized

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


@pytest.fixture
def cgroup() -> Iterator[Path]:
    """A group of cgroup v1 inside another group."""
    root = Path("/sys/fs/cgroup/cpu")
    if not (root / "cpu.rt_runtime_us").exists():
        pytest.skip("the groups of this machine have no budgets of real-time priority")
    group = root / f"tacho-test-{os.getpid()}" / "inner"
    group.mkdir(parents=True)
    yield group
    group.rmdir()
    group.parent.rmdir()


def test_a_group_has_a_budget_until_the_end(cgroup: Path) -> None:
    budget = cgroup.parent / "cpu.rt_runtime_us"
    enter = f"echo $$ > {cgroup}/cgroup.procs; exec sleep 60"
    with prioritized({"sleep"}), subprocess.Popen(["sh", "-c", enter]) as sleeper:
        deadline = time.monotonic() + _WAIT_SECONDS
        while os.sched_getscheduler(sleeper.pid) != os.SCHED_RR:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert int(budget.read_text()) > 0
        sleeper.kill()
    assert int(budget.read_text()) == 0

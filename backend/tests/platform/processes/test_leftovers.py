"""Adopted processes, in a process of their own that adopts them."""

import subprocess
import sys

_SCRIPT = """
import subprocess, time, psutil
from backend.platform.processes.guard import adopt_orphans
from backend.platform.processes.leftovers import reap_adopted

adopt_orphans()
known = subprocess.Popen(["sleep", "60"])
try:
    subprocess.run(["sh", "-c", "true & true & exit 0"], check=True)
    deadline = time.monotonic() + 10
    children = psutil.Process().children
    while len(children()) > 1 and time.monotonic() < deadline:
        reap_adopted({known.pid})
        time.sleep(0.01)
    assert [child.pid for child in children()] == [known.pid], children()
    known.kill()
    time.sleep(0.2)
    reap_adopted({known.pid})
    assert known.wait() == -9
finally:
    known.kill()
"""


def test_ended_orphans_are_reaped_but_not_what_other_code_waits_for() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0, done.stderr

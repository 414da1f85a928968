"""Adopted processes, in a process of their own that adopts them."""

import subprocess
import sys

from backend.tests.waiting import LIMIT_S

_SCRIPT = """
import os, subprocess, time, psutil
from backend.platform.processes.guard import adopt_orphans
from backend.platform.processes.leftovers import reap_adopted

adopt_orphans()
known = subprocess.Popen(["sleep", "1000"])
try:
    subprocess.run(["sh", "-c", "true & true & exit 0"], check=True)
    children = psutil.Process().children
    while len(children()) > 1:
        reap_adopted({known.pid})
        time.sleep(0.01)
    assert [child.pid for child in children()] == [known.pid], children()
    known.kill()
    os.waitid(os.P_PID, known.pid, os.WEXITED | os.WNOWAIT)
    reap_adopted({known.pid})
    assert known.wait() == -9
finally:
    known.kill()
"""


def test_ended_orphans_are_reaped_but_not_what_other_code_waits_for() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr

"""A worker on a load host can run with another wall clock."""

import os
import subprocess
import sys
import time
from pathlib import Path

from backend.core.config import ROOT

_AHEAD_S = 3600
_PROGRAM = """
import sys, time
from worker.remote import agent
line = agent.parse_line('{"type": "start", "wall_ns": 1, "seconds": 2}')
print(*sys.argv[1:], time.time(), time.time_ns(), line.wall_ns)
"""


def test_all_wall_clock_times_are_ahead(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM)
    began = time.time()

    printed = subprocess.run(
        [
            *(sys.executable, "-m", "tools.benchmarks.shifted_clock", str(_AHEAD_S)),
            *(sys.executable, "-m", "program", "argument"),
        ],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    ended = time.time()
    argument, seconds, nanoseconds, line_ns = printed
    assert argument == "argument"
    assert began + _AHEAD_S <= float(seconds) <= ended + _AHEAD_S
    assert began + _AHEAD_S <= int(nanoseconds) / 1e9 <= ended + _AHEAD_S
    assert int(line_ns) == 1 + _AHEAD_S * 10**9

"""The wall clock of the chosen processes is shifted, and their other clocks are not."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.chaos.clock import ShiftedClock

_PROGRAM = """
import datetime, sys, time
for _ in sys.stdin:
    print(time.time(), datetime.datetime.now().timestamp(), time.monotonic(), flush=True)
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_only_the_wall_clock_of_the_chosen_processes_is_shifted(tmp_path: Path) -> None:
    clock = ShiftedClock(tmp_path)
    clock.build()
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        env=os.environ | clock.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def read_ahead() -> list[int]:
            """Return how far the clocks are ahead of those of this process, in hours."""
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            clocks = map(float, process.stdout.readline().split())
            now = (time.time(), time.time(), time.monotonic())
            return [round((own - here) / 3600) for own, here in zip(clocks, now, strict=True)]

        assert read_ahead() == [0, 0, 0]
        with clock.shift(process.pid, 3600):
            assert read_ahead() == [1, 1, 0]
        with clock.shift(process.pid, -3600):
            assert read_ahead() == [-1, -1, 0]
        with clock.shift(os.getpid(), 3600):
            assert read_ahead() == [0, 0, 0]
        with clock.shift(os.getpid(), 3600, has_children=True):
            assert read_ahead() == [1, 1, 0]
        with clock.shift_all(-3600):
            assert read_ahead() == [-1, -1, 0]
        assert read_ahead() == [0, 0, 0]
        process.stdin.close()

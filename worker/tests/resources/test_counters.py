"""A meter adds up processes that start and end, and its totals never decrease."""

import subprocess
import sys

from worker.resources.counters import Meter
from worker.resources.process_tree import ProcessTree

_BURN = """
import os, subprocess, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
burn(0.5)
subprocess.run([sys.executable, "-c",
    "import time\\nend = time.process_time() + 0.5\\nwhile time.process_time() < end: pass"])
print("burnt", flush=True)
sys.stdin.read()
"""


def test_a_process_tree_counts_ended_children_and_an_ended_root() -> None:
    meter = Meter()
    with subprocess.Popen(
        [sys.executable, "-c", _BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        meter.add(ProcessTree(process.pid))
        assert process.stdout is not None
        assert process.stdout.readline() == b"burnt\n"
        alive = meter.read()
        process.kill()
        process.wait()
        dead = meter.read()
    assert 1.0 <= alive.cpu_seconds < 1.5
    assert alive.memory_anon_bytes > 1_000_000
    assert alive.threads == 1
    assert alive.page_faults > 500
    assert alive.source == "process"
    assert dead.cpu_seconds == alive.cpu_seconds
    assert dead.memory_peak_bytes == alive.memory_peak_bytes
    assert dead.page_faults == alive.page_faults
    assert dead.memory_bytes == dead.threads == 0

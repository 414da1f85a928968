"""The separate Tacho of a benchmark ends with the benchmark."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil

BENCHMARK = """
import sys, time
from pathlib import Path
from backend.core.units import RuntimeKind
from tools.benchmarks.stack import Stack

with Stack(Path(sys.argv[1]), RuntimeKind.PROCESS, "bench-01", is_serving_only=True):
    print("ready", flush=True)
    time.sleep(600)
"""


def test_no_part_is_left_after_sigterm(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BENCHMARK, str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as benchmark:
        assert benchmark.stdout is not None
        assert benchmark.stdout.readline() == "ready\n"
        parts = psutil.Process(benchmark.pid).children(recursive=True)

        benchmark.terminate()

        assert benchmark.wait(60) == 128 + signal.SIGTERM
    assert len(parts) > 2
    assert not [part for part in parts if part.is_running()]

"""CPU time of the whole host, from captured text and from the kernel."""

import time
from functools import partial
from pathlib import Path

import psutil

from worker.sampling.host import HostCpu, parse_proc_stat, read_host_cpu

HERE = Path(__file__).parent


def test_host_cpu_from_captured_text() -> None:
    text = (HERE / "captured/proc_stat.txt").read_text()
    whole = partial(parse_proc_stat, text, ticks_per_second=100)
    assert whole({0, 1}, counts_interrupts=True) == HostCpu(1959.56, 5.13)
    assert whole({1}, counts_interrupts=False) == HostCpu(1019.78, 2.8)
    assert whole({7}, counts_interrupts=True) == HostCpu(0, 0)


def test_host_cpu_grows_with_our_own() -> None:
    cpus = range(psutil.cpu_count() or 1)
    before, own = read_host_cpu(cpus), time.process_time()
    while time.process_time() - own < 0.3:
        pass
    assert read_host_cpu(cpus).busy_seconds - before.busy_seconds >= 0.25

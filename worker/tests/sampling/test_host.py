"""CPU time of the whole host, from captured text and from the kernel."""

import time
from functools import partial
from pathlib import Path

import psutil

from worker.sampling.host import HostCpu, parse_proc_stat, read_host_cpu

HERE = Path(__file__).parent


def test_host_cpu_from_captured_text() -> None:
    text = (HERE / "captured/proc_stat.txt").read_text()
    read = partial(parse_proc_stat, text, seconds=2600.0, ticks_per_second=100)
    assert approx(read({0, 1}, counts_interrupts=True)) == (2077.65, 5.13)
    assert approx(read({1}, counts_interrupts=False)) == (1078.15, 2.8)
    assert approx(read({7}, counts_interrupts=True)) == (0, 0)


def test_time_charged_by_ticks_does_not_matter() -> None:
    read = partial(parse_proc_stat, seconds=10.0, counts_interrupts=True, ticks_per_second=100)
    honest = read("cpu0 100 0 0 900 0 0 0 0 0 0", {0})
    assert approx(honest) == (1.0, 0.0)
    assert read("cpu0 700 0 0 900 0 0 0 0 0 0", {0}) == honest


def approx(found: HostCpu) -> tuple[float, float]:
    return round(found.busy_seconds, 6), round(found.steal_seconds, 6)


def test_host_cpu_grows_with_our_own() -> None:
    cpus = range(psutil.cpu_count() or 1)
    before, own = read_host_cpu(cpus), time.process_time()
    while time.process_time() - own < 0.3:
        pass
    assert read_host_cpu(cpus).busy_seconds - before.busy_seconds >= 0.25

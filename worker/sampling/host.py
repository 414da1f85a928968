"""Reads the CPU time of the whole host on a trial's CPUs, to show whether the host is quiet.

Tacho's worker and the container engine count as other programs, because they disturb a service as
much as other programs do.

A CPU was busy when it was not idle. Linux measures idle time, but most kernels estimate the time of
user and system code: whatever runs at a tick, 100 to 1,000 times a second, is charged with the time
since the last tick. A load at a constant rate can fall into step with the ticks, and such an
estimate is then several times too high or too low.
"""

import gzip
import os
import platform
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_APART = "CONFIG_IRQ_TIME_ACCOUNTING=y"


@dataclass(frozen=True)
class HostCpu:
    """Cumulative CPU seconds since some moment: doing work, and stolen by a hypervisor."""

    busy_seconds: float
    steal_seconds: float


def parse_proc_stat(
    text: str,
    cpus: Collection[int],
    *,
    seconds: float,
    counts_interrupts: bool,
    ticks_per_second: int = _TICKS,
) -> HostCpu:
    """Parse `/proc/stat` and sum over some CPUs.

    Args:
        text: the file.
        cpus: their numbers; a CPU that is missing counts as idle.
        seconds: time of a steady clock when the file was read.
        counts_interrupts: whether interrupts count as work; see `tasks_time_has_interrupts`.
    """
    wanted = {f"cpu{number}" for number in cpus}
    busy = stolen = 0.0
    for line in text.splitlines():
        name, *numbers = line.split()
        if name not in wanted:
            continue
        _user, _nice, _system, idle, iowait, irq, softirq, steal = map(int, numbers[:8])
        others = idle + iowait + steal + (0 if counts_interrupts else irq + softirq)
        busy += seconds - others / ticks_per_second
        stolen += steal / ticks_per_second
    return HostCpu(busy, stolen)


@lru_cache
def tasks_time_has_interrupts() -> bool:
    """Return whether this kernel charges an interrupt to the task that it interrupts.

    If so, the control groups' CPU time includes interrupts, and the host's must include them too.
    Distributions build kernels that account for interrupts separately. Most interrupts are then
    packets of the trial's own load and not the work of other programs. This is also assumed if the
    kernel's configuration cannot be read.
    """
    return bool(config := _read_kernel_config()) and _APART not in config.splitlines()


def _read_kernel_config() -> str:
    try:
        return gzip.decompress(Path("/proc/config.gz").read_bytes()).decode()
    except OSError:
        pass
    try:
        return Path(f"/boot/config-{platform.release()}").read_text(encoding="utf-8")
    except OSError:
        return ""


def read_host_cpu(cpus: Collection[int], path: Path = Path("/proc/stat")) -> HostCpu:
    """Return the present CPU time of some of the host's CPUs."""
    text = path.read_text(encoding="ascii")
    return parse_proc_stat(
        text, cpus, seconds=time.monotonic(), counts_interrupts=tasks_time_has_interrupts()
    )

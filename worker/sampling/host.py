"""Reads the CPU time of the whole host on a trial's CPUs, to show whether the host is quiet.

Tacho's worker and the container engine count as other programs, because they disturb a service as
much as other programs do.
"""

import gzip
import os
import platform
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_APART = "CONFIG_IRQ_TIME_ACCOUNTING=y"


@dataclass(frozen=True)
class HostCpu:
    """Cumulative CPU time since boot: doing work, and stolen by a hypervisor."""

    busy_seconds: float
    steal_seconds: float


def parse_proc_stat(
    text: str,
    cpus: Collection[int],
    *,
    counts_interrupts: bool,
    ticks_per_second: int = _TICKS,
) -> HostCpu:
    """Parse `/proc/stat` and sum over some CPUs. User time there includes guests' time.

    Args:
        text: the file.
        cpus: their numbers; a CPU that is missing counts as idle.
        counts_interrupts: whether interrupts count as work; see `tasks_time_has_interrupts`.
    """
    wanted = {f"cpu{number}" for number in cpus}
    busy = stolen = 0
    for line in text.splitlines():
        name, *numbers = line.split()
        if name not in wanted:
            continue
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, numbers[:8])
        busy += user + nice + system + (irq + softirq if counts_interrupts else 0)
        stolen += steal
    return HostCpu(busy / ticks_per_second, stolen / ticks_per_second)


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
    return parse_proc_stat(
        path.read_text(encoding="ascii"), cpus, counts_interrupts=tasks_time_has_interrupts()
    )

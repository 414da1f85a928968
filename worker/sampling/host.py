"""What the whole host did on a trial's CPUs, to tell a quiet bench host from a busy one.

Everything that is not the trial's counts as other use: also Tacho's own worker and the engine,
which disturb a service no less than any program.
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
    """From `/proc/stat`, summed over some CPUs. Guests' time is part of user time there.

    Args:
        text: the file.
        cpus: their numbers; one that is not there counts as idle.
        counts_interrupts: whether interrupts are work; see `tasks_time_has_interrupts`.
    """
    wanted = {f"cpu{number}" for number in cpus}
    busy = stolen = 0
    for line in text.splitlines():
        name, *numbers = line.split()
        if name not in wanted:
            continue
        user, nice, system, _idle, _iowait, irq, softirq, steal = (int(one) for one in numbers[:8])
        busy += user + nice + system + (irq + softirq if counts_interrupts else 0)
        stolen += steal
    return HostCpu(busy / ticks_per_second, stolen / ticks_per_second)


@lru_cache
def tasks_time_has_interrupts() -> bool:
    """Whether this kernel charges an interrupt to the task it meets.

    Then it is in the control groups' CPU time as well, and must be counted on both sides. Where
    the kernel keeps interrupts apart, as distributions build it, most of them are packets of the
    trial's own load and speak of no other program. Without a readable configuration the latter is
    taken for granted.
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
    """The CPU time of some of the host's CPUs now."""
    return parse_proc_stat(
        path.read_text(encoding="ascii"), cpus, counts_interrupts=tasks_time_has_interrupts()
    )

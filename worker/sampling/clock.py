"""Reads from `/sys` how fast CPUs run, and whether heat slowed them.

Formats: `Documentation/admin-guide/pm/cpufreq.rst` and, for the thermal counters of x86,
`Documentation/ABI/testing/sysfs-devices-system-cpu` of the Linux source.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

CPU_FOLDER = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Clock:
    """The present mean frequency, and how often heat slowed a CPU since boot; None if unknown."""

    mhz: float | None = None
    thermal_throttles: int | None = None


class ClockReader:
    """Reads the clock of some CPUs. Checks only once which files the kernel offers."""

    def __init__(self, cpus: Iterable[int], folder: Path = CPU_FOLDER) -> None:
        folders = [folder / f"cpu{number}" for number in cpus]
        self._frequencies = _existing(folders, "cpufreq/scaling_cur_freq")
        self._cores = _existing(folders, "thermal_throttle/core_throttle_count")
        self._packages = _existing(folders, "thermal_throttle/package_throttle_count")

    def read(self) -> Clock:
        """Return the present clock."""
        khz = _read_numbers(self._frequencies)
        cores, packages = _read_numbers(self._cores), _read_numbers(self._packages)
        # Every CPU has the count of its whole package.
        events = sum(cores) + max(packages, default=0) if cores or packages else None
        return Clock(fmean(khz) / 1000 if khz else None, events)


def _existing(folders: Sequence[Path], name: str) -> list[str]:
    return [str(folder / name) for folder in folders if (folder / name).exists()]


def _read_numbers(paths: Sequence[str]) -> list[int]:
    """Return the readable numbers: a CPU may be offline, and a frequency `<unknown>`."""
    numbers = []
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            numbers.append(int(os.read(descriptor, 64)))
        except (OSError, ValueError):
            continue
        finally:
            os.close(descriptor)
    return numbers

"""Frequency and heat of CPUs, from files in the format of the kernel's documentation."""

from pathlib import Path

import pytest

from worker.resources.counters import ResourceReading
from worker.runtime.base import PodRole
from worker.sampling.clock import Clock, ClockReader
from worker.sampling.host import HostCpu
from worker.sampling.sampler import ResourceSnapshot, rows_between


def lay_out(folder: Path, cpu: int, **files: str) -> None:
    """Create the folder of a CPU; `__` in a name stands for a slash."""
    for name, content in files.items():
        path = folder / f"cpu{cpu}" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def test_clock_of_some_cpus(tmp_path: Path) -> None:
    for cpu, khz, cores in ((0, "3400000", "5"), (1, "3200000", "2"), (2, "800000", "90")):
        lay_out(
            tmp_path,
            cpu,
            cpufreq__scaling_cur_freq=f"{khz}\n",
            thermal_throttle__core_throttle_count=f"{cores}\n",
            thermal_throttle__package_throttle_count="11\n",
        )

    assert ClockReader([0, 1], tmp_path).read() == Clock(3300.0, 5 + 2 + 11)


def test_values_that_the_kernel_does_not_report_are_none(tmp_path: Path) -> None:
    assert ClockReader([0], tmp_path).read() == Clock(None, None)
    lay_out(tmp_path, 0, cpufreq__scaling_cur_freq="<unknown>\n")
    assert ClockReader([0], tmp_path).read() == Clock(None, None)


def test_the_other_cpus_are_read_after_a_cpu_goes_offline(tmp_path: Path) -> None:
    for cpu in (0, 1):
        lay_out(tmp_path, cpu, cpufreq__scaling_cur_freq=f"{cpu + 1}000000\n")
    reader = ClockReader([0, 1], tmp_path)
    (tmp_path / "cpu1/cpufreq/scaling_cur_freq").unlink()

    assert reader.read() == Clock(1000.0, None)


def test_a_thermal_event_counts_once_in_its_second() -> None:
    nothing = ResourceReading()
    roles, host = dict.fromkeys(PodRole, nothing), HostCpu(0.0, 0.0)
    before = ResourceSnapshot(roles, host, Clock(3400.0, 7))
    after = ResourceSnapshot(roles, host, Clock(2600.0, 9))

    rows = rows_between(before, after, range(4, 7))

    assert [row.resources.thermal_throttles for row in rows] == [0, 0, 2]
    assert [row.resources.cpu_mhz for row in rows] == [2600.0] * 3
    silent = ResourceSnapshot(roles, host, Clock())
    (untold,) = rows_between(silent, silent, range(1))
    assert untold.resources.thermal_throttles is None


def test_what_others_use_in_their_turn_is_not_counted() -> None:
    def at(own: float, busy: float) -> ResourceSnapshot:
        roles = dict.fromkeys(PodRole, ResourceReading())
        roles[PodRole.SERVICE] = ResourceReading(cpu_seconds=own)
        return ResourceSnapshot(roles, HostCpu(busy, 0.0), Clock())

    # The service uses 0.3 s in its turn and 0.1 s later. Others use 0.05 s in its turn, then 0.8 s.
    (row,) = rows_between(at(0.0, 0.0), at(0.4, 1.25), range(1), at(0.3, 0.35))

    assert row.resources.cpu_service_seconds == pytest.approx(0.4)
    assert row.resources.cpu_other_seconds == pytest.approx(0.05)

"""Rows per second from real pods: complete, on time, correct, and cheap."""

import threading
import time
from itertools import pairwise
from typing import cast

import pytest

from backend.tests.waiting import LIMIT_S
from worker.resources.counters import ResourceReading
from worker.runtime.base import Pod, PodRole
from worker.runtime.errors import RuntimeFailure
from worker.sampling.instant import to_monotonic_ns
from worker.sampling.sampler import ResourceSampler, ResourceSecond
from worker.tests.runtime.bench import CPUS, SERVICE, Bench

_SECOND_NS = 1_000_000_000


def value_of(row: ResourceSecond, name: str) -> float:
    """Return a value of a second, which the sampler must have read."""
    value = getattr(row.resources, name)
    assert value is not None
    return float(value)


@pytest.mark.acceptance
def test_busy_seconds_show_the_cpu_time_of_the_service(bench: Bench) -> None:
    seen: list[tuple[ResourceSecond, int]] = []
    sampler = ResourceSampler(bench.pod, lambda row: seen.append((row, time.monotonic_ns())))
    before = bench.pod.read(PodRole.SERVICE).cpu_seconds
    begin_ns = time.monotonic_ns()
    sampler.start_at(begin_ns, 4)
    used_seconds = float(bench.get("/burn?seconds=2"))
    rows = sampler.get_rows(LIMIT_S)
    total = bench.pod.read(PodRole.SERVICE).cpu_seconds - before

    assert [row.second for row in rows] == [0, 1, 2, 3]
    assert rows == [row for row, _ in seen]
    lateness = [seen_ns - begin_ns - (row.second + 1) * _SECOND_NS for row, seen_ns in seen]
    assert all(0 <= late < 500_000_000 for late in lateness)
    service = [value_of(row, "cpu_service_seconds") for row in rows]
    assert sum(service) == pytest.approx(total, rel=0.03)
    assert total == pytest.approx(used_seconds, rel=0.03)
    assert max(service) <= 1.05
    assert service[3] < 0.1
    assert sum(value_of(row, "cpu_load_seconds") for row in rows) > 0
    assert all(value_of(row, "memory_bytes") > 0 and value_of(row, "threads") > 0 for row in rows)


def test_a_second_of_a_load_in_turns_takes_two(bench: Bench) -> None:
    seen: list[int] = []
    sampler = ResourceSampler(bench.pod, lambda _row: seen.append(time.monotonic_ns()), turns=2)
    begin_ns = time.monotonic_ns()
    sampler.start_at(begin_ns, 1)
    rows = sampler.get_rows(LIMIT_S)

    assert [row.second for row in rows] == [0]
    assert seen[0] - begin_ns >= 2 * _SECOND_NS


def test_a_late_start_gives_every_second_and_an_early_end_no_more(bench: Bench) -> None:
    for already_over in (False, True):
        sampler = ResourceSampler(bench.pod, lambda _row: None)
        sampler.start_at(time.monotonic_ns() - int(1.5 * _SECOND_NS), 600)
        while already_over and len(sampler.rows) < 2:
            time.sleep(0.01)
        sampler.end_after(2)
        # It would wait ten minutes for the other seconds.
        rows = sampler.get_rows(LIMIT_S)
        assert [row.second for row in rows] == [0, 1]


def test_a_vanished_service_does_not_end_the_sampling(bench: Bench) -> None:
    sampler = ResourceSampler(bench.pod, lambda _row: None)
    sampler.start_at(time.monotonic_ns(), 2)
    bench.get("/exit")
    rows = sampler.get_rows(LIMIT_S)
    assert len(rows) == 2
    assert all(value_of(row, "cpu_service_seconds") >= 0 for row in rows)
    assert not bench.pod.is_running(SERVICE)


def test_a_removed_pod_does_not_end_the_sampling(bench: Bench) -> None:
    sampler = ResourceSampler(bench.pod, lambda _row: None)
    sampler.start_at(time.monotonic_ns(), 2)
    bench.pod.remove()
    assert [row.second for row in sampler.get_rows(LIMIT_S)] == [0, 1]


class SteppedClock:
    """Set the wall clock to another time after each reading."""

    def __init__(self, step_ns: int) -> None:
        self._step_ns = step_ns
        self._offset_ns = 0
        self._read = time.time_ns

    def __call__(self) -> int:
        now_ns = self._read() + self._offset_ns
        self._offset_ns += self._step_ns
        return now_ns


@pytest.mark.acceptance
@pytest.mark.parametrize("step_ns", [3600 * _SECOND_NS, -3600 * _SECOND_NS])
def test_setting_the_wall_clock_does_not_move_seconds(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, step_ns: int
) -> None:
    seen: list[int] = []
    sampler = ResourceSampler(bench.pod, lambda _row: seen.append(time.monotonic_ns()))
    monkeypatch.setattr(time, "time_ns", SteppedClock(step_ns))
    started_ns = time.monotonic_ns()
    begin_ns = to_monotonic_ns(time.time_ns(), not_before_ns=started_ns)
    sampler.start_at(begin_ns, 3)
    rows = sampler.get_rows(LIMIT_S)

    assert [row.second for row in rows] == [0, 1, 2]
    assert started_ns <= begin_ns <= seen[0] - _SECOND_NS
    assert all(after - before > _SECOND_NS // 2 for before, after in pairwise(seen))
    assert sampler.late_seconds == []


class SlowPod:
    """A pod whose second and later readings wait until an event is set."""

    def __init__(self) -> None:
        self.cpus = CPUS
        self.is_free = threading.Event()
        self._readings = 0

    def read(self, _role: PodRole) -> ResourceReading:
        self._readings += 1
        if self._readings > len(PodRole):
            self.is_free.wait()
        return ResourceReading(cpu_seconds=float(self._readings), source="process")


def test_a_reading_that_hangs_is_named() -> None:
    pod = SlowPod()
    sampler = ResourceSampler(cast("Pod", pod), lambda _row: None)
    sampler.start_at(time.monotonic_ns() - _SECOND_NS, 3)
    with pytest.raises(RuntimeFailure, match=r"0 of 3 s .*reading of service did not end within 1"):
        sampler.get_rows(1)
    pod.is_free.set()
    sampler.stop()
    sampler.get_rows(LIMIT_S)


def test_seconds_without_a_reading_of_their_own_are_named() -> None:
    pod = SlowPod()
    sampler = ResourceSampler(cast("Pod", pod), lambda _row: None)
    sampler.start_at(time.monotonic_ns(), 3)
    threading.Timer(2.3, pod.is_free.set).start()
    rows = sampler.get_rows(LIMIT_S)

    assert [row.second for row in rows] == [0, 1, 2]
    assert sampler.late_seconds[:2] == [0, 1]
    assert rows[0].resources == rows[1].resources


def test_a_worker_that_stood_still_gives_no_rows() -> None:
    pod = SlowPod()
    sampler = ResourceSampler(cast("Pod", pod), lambda _row: None, longest_gap_s=1.2)
    sampler.start_at(time.monotonic_ns(), 3)
    threading.Timer(1.6, pod.is_free.set).start()

    with pytest.raises(RuntimeFailure, match=r"not read for \d+ s during the load"):
        sampler.get_rows(LIMIT_S)


def test_stop_ends_the_sampling_at_once(bench: Bench) -> None:
    sampler = ResourceSampler(bench.pod, lambda _row: None)
    sampler.start_at(time.monotonic_ns(), 600)
    sampler.stop()
    assert len(sampler.get_rows(2)) <= 1


def test_an_error_of_the_callback_reaches_the_caller(bench: Bench) -> None:
    def fail(_row: ResourceSecond) -> None:
        raise LookupError("the live view is gone")

    sampler = ResourceSampler(bench.pod, fail)
    sampler.start_at(time.monotonic_ns(), 1)
    with pytest.raises(LookupError, match="live view"):
        sampler.get_rows(5)


@pytest.mark.acceptance
def test_sampling_costs_less_than_a_hundredth_of_a_core(bench: Bench) -> None:
    costs: list[float] = []
    sampler = ResourceSampler(bench.pod, lambda _row: costs.append(_thread_seconds()))
    sampler.start_at(time.monotonic_ns(), 4)
    sampler.get_rows(LIMIT_S)
    assert (costs[-1] - costs[0]) / (len(costs) - 1) <= 0.01


def _thread_seconds() -> float:
    """Record the CPU time of the calling thread, which is that of the sampler."""
    assert threading.current_thread().name == "resource-sampler"
    return time.thread_time()

"""One set of resource counters, and the meter that adds up what a role's members used.

Members may end between readings. A meter keeps their last totals, so that a role's cumulative
counters never decrease.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol


class SourceGone(Exception):
    """The container or process behind a source no longer exists."""


@dataclass(frozen=True)
class Counters:
    """Cumulative CPU time (s) since the start, and memory (bytes) and threads now."""

    cpu_seconds: float = 0.0
    throttled_seconds: float = 0.0
    memory_bytes: int = 0
    memory_peak_bytes: int = 0
    memory_anon_bytes: int = 0
    memory_file_bytes: int = 0
    memory_sock_bytes: int = 0
    threads: int = 0

    def add(self, other: "Counters") -> "Counters":
        """Return the sum, field by field."""
        names = [field.name for field in fields(self)]
        return Counters(**{name: getattr(self, name) + getattr(other, name) for name in names})


class CounterSource(Protocol):
    """Where one member's counters come from."""

    @property
    def name(self) -> str:
        """`cgroup_v1`, `cgroup_v2`, `process` or `engine_stats`."""
        ...

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone`."""
        ...


@dataclass(frozen=True)
class MeterReading:
    """The sum over a meter's sources at `wall_ns` (Unix time)."""

    wall_ns: int
    counters: Counters
    source: str


class Meter:
    """Adds up sources; a gone source counts with its last totals and no memory or threads."""

    def __init__(self) -> None:
        self._sources: list[CounterSource] = []
        self._last: dict[int, Counters] = {}

    def add(self, source: CounterSource) -> None:
        """Count this source from now on."""
        self._sources.append(source)

    def read(self) -> MeterReading:
        """Read every source once."""
        wall_ns = time.time_ns()
        total = Counters()
        for index, source in enumerate(self._sources):
            last = self._last.get(index, Counters())
            try:
                now = self._never_backwards(source.read(), last)
            except SourceGone:
                now = _totals_only(last)
            self._last[index] = now
            total = total.add(now)
        return MeterReading(wall_ns, total, source_name(self._sources))

    @staticmethod
    def _never_backwards(now: Counters, last: Counters) -> Counters:
        """Return counters of at least the last totals: a process tree loses unreaped children."""
        return replace(
            now,
            cpu_seconds=max(now.cpu_seconds, last.cpu_seconds),
            throttled_seconds=max(now.throttled_seconds, last.throttled_seconds),
            memory_peak_bytes=max(now.memory_peak_bytes, last.memory_peak_bytes),
        )


def _totals_only(last: Counters) -> Counters:
    return Counters(
        cpu_seconds=last.cpu_seconds,
        throttled_seconds=last.throttled_seconds,
        memory_peak_bytes=last.memory_peak_bytes,
    )


def source_name(sources: Sequence[CounterSource]) -> str:
    """Return the name of the least exact source, or `none` without sources."""
    exactness = ("engine_stats", "process", "cgroup_v1", "cgroup_v2")
    names = {source.name for source in sources}
    return next((name for name in exactness if name in names), "none")

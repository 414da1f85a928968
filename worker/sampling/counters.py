"""One set of resource counters, and the meter that adds up what a role's members used.

Members come and go while being read: a meter keeps what the gone ones used, so that a role's
cumulative counters never run backwards.
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
        """The sum, field by field."""
        names = [field.name for field in fields(self)]
        return Counters(**{name: getattr(self, name) + getattr(other, name) for name in names})


class Source(Protocol):
    """Where one member's counters come from."""

    @property
    def name(self) -> str:
        """`cgroup_v1`, `cgroup_v2`, `process` or `engine_stats`."""
        ...

    def read(self) -> Counters:
        """Counters now; raises `SourceGone`."""
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
        self._sources: list[Source] = []
        self._last: dict[int, Counters] = {}

    def add(self, source: Source) -> None:
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
        """A process tree forgets children that nobody waited for; a cumulative counter must not."""
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


def source_name(sources: Sequence[Source]) -> str:
    """The least exact of the sources' names, or `none` without any."""
    exactness = ("engine_stats", "process", "cgroup_v1", "cgroup_v2")
    names = {source.name for source in sources}
    return next((name for name in exactness if name in names), "none")

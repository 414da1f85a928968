"""Resource counters, and the meter that adds up the counters of a role's members.

A member may end between two readings. The meter keeps its last totals, so that the cumulative
counters of a role never decrease.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol


class SourceGone(Exception):
    """The container or process behind a source no longer exists."""


# Marks a value that never decreases, such as CPU time or a high-water mark.
_TOTAL = {"is_total": True}


@dataclass(frozen=True, kw_only=True)
class Counters:
    """Totals since the start, and gauges of the present, such as memory now.

    A field that has the name of a field of `backend.core.second.ResourceUse` is stored per second:
    a total as its difference over the second, a gauge as its value at the end of the second.
    """

    cpu_seconds: float = field(default=0.0, metadata=_TOTAL)
    throttled_seconds: float = field(default=0.0, metadata=_TOTAL)
    memory_bytes: int = 0
    memory_peak_bytes: int = field(default=0, metadata=_TOTAL)
    memory_anon_bytes: int = 0
    memory_file_bytes: int = 0
    memory_sock_bytes: int = 0
    threads: int = 0
    page_faults: int = field(default=0, metadata=_TOTAL)

    def add(self, other: "Counters") -> "Counters":
        """Return the sum, field by field."""
        return Counters(**{name: getattr(self, name) + getattr(other, name) for name in _NAMES})


_NAMES = tuple(counter.name for counter in fields(Counters))
TOTALS = tuple(counter.name for counter in fields(Counters) if counter.metadata.get("is_total"))


@dataclass(frozen=True, kw_only=True)
class ResourceReading(Counters):
    """The counters of one role, summed over its containers or processes at `wall_ns` (Unix time).

    `source` is `cgroup_v1`, `cgroup_v2`, `process` or `engine_stats`, which differ in accuracy, or
    `none`. The totals of a removed container remain in the sum.
    """

    wall_ns: int = 0
    source: str = "none"


class CounterSource(Protocol):
    """A source of a member's counters."""

    @property
    def name(self) -> str:
        """Return `cgroup_v1`, `cgroup_v2`, `process` or `engine_stats`."""
        ...

    def read(self) -> Counters:
        """Return the present counters; raises `SourceGone`."""
        ...


class Meter:
    """Adds up sources. An ended source counts with its last totals, without memory and threads."""

    def __init__(self) -> None:
        self._sources: list[CounterSource] = []
        self._last: dict[int, Counters] = {}

    def add(self, source: CounterSource) -> None:
        """Add a source to later readings."""
        self._sources.append(source)

    def read(self) -> ResourceReading:
        """Read every source once."""
        wall_ns = time.time_ns()
        total = Counters()
        for index, source in enumerate(self._sources):
            last = self._last.get(index, Counters())
            try:
                now = _never_below(source.read(), last)
            except SourceGone:
                now = Counters(**{name: getattr(last, name) for name in TOTALS})
            self._last[index] = now
            total = total.add(now)
        exactness = source_name(self._sources)
        return ResourceReading(**vars(total), wall_ns=wall_ns, source=exactness)


def _never_below(now: Counters, last: Counters) -> Counters:
    """Return counters of at least the last totals: a process tree loses unreaped children."""
    totals = {name: max(getattr(now, name), getattr(last, name)) for name in TOTALS}
    return Counters(**{**vars(now), **totals})


def source_name(sources: Sequence[CounterSource]) -> str:
    """Return the name of the least exact source, or `none` without sources."""
    exactness = ("engine_stats", "process", "cgroup_v1", "cgroup_v2")
    names = {source.name for source in sources}
    return next((name for name in exactness if name in names), "none")

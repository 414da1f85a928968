"""One second of a trial."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from backend.core.measurements.histogram import Histogram
from backend.core.models import Sample
from backend.core.units import Phase

_COLUMNS = {
    "latency_p50_ms": 0.5,
    "latency_p90_ms": 0.9,
    "latency_p95_ms": 0.95,
    "latency_p99_ms": 0.99,
    "latency_max_ms": 1.0,
}


@dataclass(frozen=True)
class Second:
    """One second: load counted by k6, resources counted by the runtime.

    A request belongs to the second in which it was sent. CPU figures are seconds of CPU time
    spent within this second. Memory and threads are those of the service at the end of the second.
    Resource figures are None where the runtime could not read that second. `cpu_other_seconds` and
    `cpu_steal_seconds` are the time that other programs and the hypervisor used on the trial's
    CPUs. `cpu_mhz` and `thermal_throttles` concern the service's CPUs; None if the kernel does not
    provide them.
    """

    phase: Phase
    second: int
    requests: int
    failed: int
    errors: dict[str, int]
    bytes_sent: int
    bytes_received: int
    dropped: int
    vus: int
    in_flight: float
    latency: bytes
    cpu_service_seconds: float | None = None
    cpu_backing_seconds: float | None = None
    cpu_load_seconds: float | None = None
    cpu_other_seconds: float | None = None
    cpu_steal_seconds: float | None = None
    throttled_seconds: float | None = None
    thermal_throttles: int | None = None
    cpu_mhz: float | None = None
    memory_bytes: int | None = None
    memory_anon_bytes: int | None = None
    memory_file_bytes: int | None = None
    memory_sock_bytes: int | None = None
    threads: int | None = None

    def as_row(self) -> dict[str, Any]:
        """Return all columns of a `sample` except the trial id, including latency percentiles."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**row, **latency_columns(self.latency)}


def second_of(row: Sample) -> Second:
    """Return the second stored in this row."""
    return Second(
        **{field.name: getattr(row, field.name) for field in fields(Second)}
        | {"phase": Phase(row.phase)}
    )


# The live view needs them while the load runs, verdicts and rows at the end of the trial.
@lru_cache(maxsize=4096)
def latency_columns(encoded: bytes) -> Mapping[str, float | None]:
    """Return the percentiles (ms) stored with each second; all None without a successful request.

    Args:
        encoded: a histogram encoded by `Histogram.to_varints`.
    """
    histogram = Histogram.from_varints(encoded)
    if not histogram.count:
        return MappingProxyType(dict.fromkeys(_COLUMNS))
    points = histogram.points(list(_COLUMNS.values()))
    return MappingProxyType(
        {name: point / 1e6 for name, point in zip(_COLUMNS, points, strict=True)}
    )


def measured(seconds: Iterable[Second]) -> list[Second]:
    """Return the seconds of the measured phase."""
    return [second for second in seconds if second.phase is Phase.MEASURE]

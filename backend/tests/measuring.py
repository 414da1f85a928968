"""Seconds and histograms of a load with known latencies."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.second import ResourceUse, Second
from backend.core.units import Phase


def histogram_of(latencies_ms: Iterable[float]) -> Histogram:
    """Return the histogram of these latencies, computed by the definition of the buckets."""
    buckets = [_bucket(int(latency * 1e6)) for latency in latencies_ms]
    return Histogram(np.bincount(np.array(buckets, dtype=np.int64)).astype(np.int64))


def second(number: int, latencies_ms: Iterable[float] = (), **changes: Any) -> Second:
    """Return a measured second of successful requests with these latencies on a quiet host."""
    latencies = list(latencies_ms)
    fields: dict[str, Any] = {
        **vars(ResourceUse.unknown()),
        "phase": Phase.MEASURE,
        "second": number,
        "requests": len(latencies),
        "failed": 0,
        "connections_opened": 1,
        "errors": {},
        "bytes_sent": 100 * len(latencies),
        "bytes_received": 200 * len(latencies),
        "dropped": 0,
        "vus": 2,
        "in_flight": sum(latencies) / 1000,
        "latency": histogram_of(latencies).to_varints(),
        "cpu_service_seconds": 0.5,
        "cpu_backing_seconds": 0.0,
        "cpu_load_seconds": 0.1,
        "cpu_other_seconds": 0.0,
        "cpu_steal_seconds": 0.0,
        "throttled_seconds": 0.0,
        "memory_bytes": 100_000_000 + number,
        "memory_anon_bytes": 60_000_000,
        "memory_file_bytes": 30_000_000,
        "memory_sock_bytes": 4_096,
        "threads": 11,
        "page_faults": 20.0,
    }
    return Second(**fields | changes)


def _bucket(value_ns: int) -> int:
    exponent = value_ns.bit_length() - 8
    if value_ns < 128:
        return value_ns
    return (exponent + 1) * 128 + (value_ns >> exponent) - 128

"""A second of load, summed over the lines that k6 wrote about it."""

from collections import Counter
from dataclasses import dataclass, field, replace

from backend.core.measurements.histogram import Histogram
from backend.core.measurements.series import Second, latency_columns
from backend.core.measurements.steadiness import Glimpse
from backend.core.units import Phase
from worker.loadgen.parse import SecondLine
from worker.sampling.sampler import ResourceSecond


@dataclass
class SecondSum:
    """A second of load, summed over its lines."""

    requests: int = 0
    failed: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    bytes_sent: int = 0
    bytes_received: int = 0
    dropped: int = 0
    vus: int = 0
    in_flight: float = 0.0
    latency_sum_ns: int = 0
    latency_max_ns: int = 0
    latency: Histogram = field(default_factory=Histogram.empty)
    latency_failed: Histogram = field(default_factory=Histogram.empty)
    lateness: Histogram = field(default_factory=Histogram.empty)
    first_byte: Histogram = field(default_factory=Histogram.empty)
    _encoded: bytes | None = None

    def add(self, line: SecondLine) -> None:
        """Add a line: counts add up, maxima stay maxima, histograms merge."""
        self.requests += line.requests
        self.failed += line.failed
        self.errors.update(line.errors)
        self.bytes_sent += line.bytes_sent
        self.bytes_received += line.bytes_received
        self.dropped += line.dropped
        self.vus = max(self.vus, line.vus)
        self.in_flight += line.in_flight
        self.latency_sum_ns += line.latency_sum_ns
        self.latency_max_ns = max(self.latency_max_ns, line.latency_max_ns)
        # Most seconds have one line, whose histogram need not be written again.
        if line.latency:
            self._encoded = None if self.latency.counts.size else line.latency
        self.latency = self.latency.merge(Histogram.from_varints(line.latency))
        self.latency_failed = self.latency_failed.merge(Histogram.from_varints(line.latency_failed))
        self.lateness = self.lateness.merge(Histogram.from_varints(line.lateness))
        self.first_byte = self.first_byte.merge(Histogram.from_varints(line.first_byte))

    @property
    def encoded_latency(self) -> bytes:
        """Return the histogram of successful requests in its stored form."""
        if self._encoded is None:
            self._encoded = self.latency.to_varints()
        return self._encoded

    def as_live(self) -> dict[str, float | None]:
        """Return the values for the live view."""
        shown = ("p50", "p99", "max")
        columns = latency_columns(self.encoded_latency)
        return {
            "requests": self.requests,
            "failed": self.failed,
            "dropped": self.dropped,
            "in_flight": self.in_flight,
            **{f"latency_{name}_ms": columns[f"latency_{name}_ms"] for name in shown},
        }

    def as_glimpse(self, resources: ResourceSecond | None) -> Glimpse:
        """Return the values that show whether the load is steady."""
        slowest = [self.latency_max_ns] if self.latency.count else []
        if self.latency_failed.count:
            slowest.append(round(self.latency_failed.max))
        cost = None
        if resources is not None and self.requests:
            cost = resources.cpu_seconds_service / self.requests * 1e6
        return Glimpse(
            requests=self.requests,
            median_ms=latency_columns(self.encoded_latency)["latency_p50_ms"],
            slowest_ms=max(slowest) / 1e6 if slowest else None,
            cpu_us_per_request=cost,
        )

    def as_second(self, phase: Phase, number: int, resources: ResourceSecond | None) -> Second:
        """Return the second to store, with its resources."""
        counted = Second(
            phase=phase,
            second=number,
            requests=self.requests,
            failed=self.failed,
            errors=dict(self.errors),
            bytes_sent=self.bytes_sent,
            bytes_received=self.bytes_received,
            dropped=self.dropped,
            vus=self.vus,
            in_flight=self.in_flight,
            latency=self.encoded_latency,
        )
        if resources is None:
            return counted
        return replace(
            counted,
            cpu_service_seconds=resources.cpu_seconds_service,
            cpu_backing_seconds=resources.cpu_seconds_backing,
            cpu_load_seconds=resources.cpu_seconds_load,
            cpu_other_seconds=resources.host_cpu_seconds_other,
            cpu_steal_seconds=resources.host_steal_seconds,
            throttled_seconds=resources.throttled_seconds_service,
            thermal_throttles=resources.thermal_throttles,
            cpu_mhz=resources.cpu_mhz_service,
            memory_bytes=resources.memory_bytes,
            memory_anon_bytes=resources.memory_anon_bytes,
            memory_file_bytes=resources.memory_file_bytes,
            memory_sock_bytes=resources.memory_sock_bytes,
            threads=resources.threads,
        )

"""A second of load, summed over the lines that k6 wrote about it."""

from dataclasses import dataclass, field

from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.series import latency_columns
from backend.core.measurement.measurements.steadiness import Glimpse
from backend.core.runs.live.events import LoadSecond
from backend.core.second import LoadCounts, ResourceUse, Second
from backend.core.units import Phase
from worker.loadgen.parse import SecondLine
from worker.sampling.sampler import ResourceSecond


@dataclass(slots=True)
class SecondSum:
    """A second of load, summed over its lines."""

    counts: LoadCounts = field(default_factory=LoadCounts.none)
    latency_sum_ns: int = 0
    latency_max_ns: int = 0
    latency: Histogram = field(default_factory=Histogram.empty)
    latency_failed: Histogram = field(default_factory=Histogram.empty)
    service_time: Histogram = field(default_factory=Histogram.empty)
    lateness: Histogram = field(default_factory=Histogram.empty)
    first_byte: Histogram = field(default_factory=Histogram.empty)
    script_share: float | None = None
    _encoded: bytes | None = None

    def add(self, line: SecondLine) -> None:
        """Add a line: counts add up, maxima stay maxima, histograms merge."""
        self.counts = self.counts.add(line)
        self.latency_sum_ns += line.latency_sum_ns
        self.latency_max_ns = max(self.latency_max_ns, line.latency_max_ns)
        # Most seconds have one line, whose histogram need not be written again.
        if line.latency:
            self._encoded = None if self.latency.counts.size else line.latency
        self.latency = self.latency.merge(Histogram.from_varints(line.latency))
        self.latency_failed = self.latency_failed.merge(Histogram.from_varints(line.latency_failed))
        self.service_time = self.service_time.merge(Histogram.from_varints(line.service_time))
        self.lateness = self.lateness.merge(Histogram.from_varints(line.lateness))
        self.first_byte = self.first_byte.merge(Histogram.from_varints(line.first_byte))
        if line.script_share is not None:
            self.script_share = line.script_share

    @property
    def timed_requests(self) -> int:
        """Return the number of requests without control requests."""
        return self.latency.count + self.latency_failed.count

    @property
    def encoded_latency(self) -> bytes:
        """Return the histogram of latencies in its stored form."""
        if self._encoded is None:
            self._encoded = self.latency.to_varints()
        return self._encoded

    def as_live(self) -> LoadSecond:
        """Return the values for the live view."""
        columns = latency_columns(self.encoded_latency)
        return LoadSecond(
            requests=self.counts.requests,
            failed=self.counts.failed,
            dropped=self.counts.dropped,
            in_flight=self.counts.in_flight,
            latency_p50_ms=columns["latency_p50_ms"],
            latency_p99_ms=columns["latency_p99_ms"],
            latency_max_ms=columns["latency_max_ms"],
        )

    def as_glimpse(self, resources: ResourceSecond | None) -> Glimpse:
        """Return the values that show whether the load is steady."""
        slowest = [self.latency_max_ns] if self.latency.count else []
        if self.latency_failed.count:
            slowest.append(round(self.latency_failed.max))
        used = resources.resources.cpu_service_seconds if resources else None
        requests = self.counts.requests
        cost = used / requests * 1e6 if used is not None and requests else None
        return Glimpse(
            requests=self.counts.requests,
            median_ms=latency_columns(self.encoded_latency)["latency_p50_ms"],
            slowest_ms=max(slowest) / 1e6 if slowest else None,
            cpu_us_per_request=cost,
            compiling=resources.compiling if resources else None,
        )

    def as_second(self, phase: Phase, number: int, resources: ResourceSecond | None) -> Second:
        """Return the second to store, with its resources."""
        return Second.of(
            phase,
            number,
            self.counts,
            ResourceUse.unknown() if resources is None else resources.resources,
            self.encoded_latency,
        )

"""Compute the metrics of a trial from its seconds, as pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backend.core.documents import Lateness, Step
from backend.core.measurement.measurements.histogram import Histogram
from backend.core.measurement.measurements.steps import find_knee_rps, find_sustained_rps
from backend.core.second import Second
from backend.core.units import Metric

_QUANTILES = {
    Metric.LATENCY_P50_MS: 0.5,
    Metric.LATENCY_P90_MS: 0.9,
    Metric.LATENCY_P95_MS: 0.95,
    Metric.LATENCY_P99_MS: 0.99,
    Metric.LATENCY_P999_MS: 0.999,
}
# How long a service counts as cold after the begin of the load.
COLD_SECONDS = 10
_FIRST_BYTE_QUANTILES = {Metric.FIRST_BYTE_P50_MS: 0.5, Metric.FIRST_BYTE_P99_MS: 0.99}


@dataclass(frozen=True)
class TrialFacts:
    """Facts about a trial other than its seconds.

    `latency` holds the latencies (ns) of the requests of the measured window that succeeded or
    timed out, `first_byte` the times to the first byte of responses, if they were measured.
    `build_seconds` is None if the image existed already. `memory_peak_bytes` is the kernel's
    high-water mark, None if the kernel has none.
    """

    latency: Histogram
    latency_sum_ns: int
    latency_max_ns: int
    first_byte: Histogram
    boot_ms: float
    first_response_ms: float
    idle_memory_bytes: int | None
    memory_peak_bytes: int | None
    build_seconds: float | None
    image_bytes: int


def summarise(seconds: Sequence[Second], facts: TrialFacts) -> dict[Metric, float]:
    """Return all metrics of the trial; a metric that cannot be computed is left out.

    Throughput is successful requests per measured second. CPU per request divides the service's CPU
    time by all requests: failed requests use CPU as well. The sizes of requests and responses are
    means of the bytes transferred, including headers.

    Args:
        seconds: the measured seconds, each once.
    """
    requests = sum(second.requests for second in seconds)
    succeeded = requests - sum(second.failed for second in seconds)
    values: dict[Metric, float | None] = {
        Metric.THROUGHPUT_RPS: succeeded / len(seconds) if seconds else None,
        Metric.SUCCESS_RATIO: _share(succeeded, requests),
        Metric.MEMORY_PEAK_BYTES: facts.memory_peak_bytes
        or _peak(seconds, lambda second: second.memory_bytes),
        Metric.MEMORY_ANON_BYTES: _peak(seconds, lambda second: second.memory_anon_bytes),
        Metric.MEMORY_FILE_BYTES: _peak(seconds, lambda second: second.memory_file_bytes),
        Metric.MEMORY_SOCK_BYTES: _peak(seconds, lambda second: second.memory_sock_bytes),
        Metric.IDLE_MEMORY_BYTES: facts.idle_memory_bytes,
        Metric.THREADS_PEAK: _peak(seconds, lambda second: second.threads),
        Metric.PAGE_FAULTS_PER_REQUEST: _share(_total(seconds, "page_faults"), requests),
        Metric.CONNECTIONS_PER_REQUEST: _share(_total(seconds, "connections_opened"), requests),
        Metric.REQUEST_BYTES: _share(sum(second.bytes_sent for second in seconds), requests),
        Metric.RESPONSE_BYTES: _share(sum(second.bytes_received for second in seconds), requests),
        Metric.BOOT_MS: facts.boot_ms,
        Metric.FIRST_RESPONSE_MS: facts.first_response_ms,
        Metric.BUILD_SECONDS: facts.build_seconds,
        Metric.IMAGE_BYTES: facts.image_bytes,
    }
    if facts.latency.count:
        values |= _points_ms(facts.latency, _QUANTILES)
        values[Metric.LATENCY_MAX_MS] = facts.latency_max_ns / 1e6
        values[Metric.LATENCY_MEAN_MS] = facts.latency_sum_ns / facts.latency.count / 1e6
    if facts.first_byte.count:
        values |= _points_ms(facts.first_byte, _FIRST_BYTE_QUANTILES)
    cpu = _total(seconds, "cpu_service_seconds")
    if requests and cpu is not None:
        values[Metric.CPU_SECONDS] = cpu
        values[Metric.CPU_CORES] = cpu / len(seconds)
        values[Metric.CPU_US_PER_REQUEST] = cpu / requests * 1e6
    return {metric: float(value) for metric, value in values.items() if value is not None}


def summarise_cold(seconds: Sequence[Second]) -> dict[Metric, float]:
    """Return the metrics of the first ten seconds of a load; none if it was shorter.

    Throughput and CPU time per request are defined as those of the measured seconds.

    Args:
        seconds: of the whole load with its warm-up, each once, in order.
    """
    cold = seconds[:COLD_SECONDS]
    if len(cold) < COLD_SECONDS:
        return {}
    requests = sum(second.requests for second in cold)
    succeeded = requests - sum(second.failed for second in cold)
    latency = Histogram.merge_all(Histogram.from_varints(second.latency) for second in cold)
    values: dict[Metric, float | None] = {Metric.COLD_THROUGHPUT_RPS: succeeded / len(cold)}
    if latency.count:
        values[Metric.COLD_LATENCY_P50_MS] = latency.percentile(0.5) / 1e6
    used = _share(_total(cold, "cpu_service_seconds"), requests)
    if used is not None:
        values[Metric.COLD_CPU_US_PER_REQUEST] = used * 1e6
    return {metric: value for metric, value in values.items() if value is not None}


# Over a whole load in steps, these metrics would mix rates; each step has its own values.
_OF_ONE_LOAD = frozenset(
    {
        *_QUANTILES,
        *_FIRST_BYTE_QUANTILES,
        Metric.LATENCY_MAX_MS,
        Metric.LATENCY_MEAN_MS,
        Metric.THROUGHPUT_RPS,
        Metric.SUCCESS_RATIO,
        Metric.CPU_US_PER_REQUEST,
        Metric.CPU_CORES,
        Metric.PAGE_FAULTS_PER_REQUEST,
        Metric.CONNECTIONS_PER_REQUEST,
    }
)


def summarise_steps(metrics: Mapping[Metric, float], steps: Sequence[Step]) -> dict[Metric, float]:
    """Return the metrics of a load in steps, given those over all its seconds."""
    own = {
        Metric.SUSTAINED_RPS: find_sustained_rps(steps),
        Metric.KNEE_RPS: find_knee_rps(steps),
    }
    kept = {metric: value for metric, value in metrics.items() if metric not in _OF_ONE_LOAD}
    return kept | {metric: float(value) for metric, value in own.items() if value is not None}


# A load of a count ends within its last second, so values per second would depend on the count.
_PER_SECOND = frozenset({Metric.THROUGHPUT_RPS, Metric.CPU_CORES})


def summarise_count(metrics: Mapping[Metric, float]) -> dict[Metric, float]:
    """Return the metrics that describe a load of a count."""
    return {metric: value for metric, value in metrics.items() if metric not in _PER_SECOND}


def describe_lateness(lateness: Histogram) -> Lateness | None:
    """Return how late requests were begun (ms); None if requests had no due time."""
    if not lateness.count:
        return None
    p99, most = lateness.points([0.99, 1.0])
    return {"late_p99_ms": p99 / 1e6, "late_max_ms": most / 1e6}


def _total(seconds: Sequence[Second], name: str) -> float | None:
    """Return the sum of a value, or None if a second has none."""
    values = [getattr(second, name) for second in seconds]
    return None if None in values else sum(values)


def _points_ms(latency: Histogram, quantiles: Mapping[Metric, float]) -> dict[Metric, float]:
    points = latency.points(list(quantiles.values()))
    return {metric: point / 1e6 for metric, point in zip(quantiles, points, strict=True)}


def _share(amount: float | None, requests: int) -> float | None:
    return amount / requests if amount is not None and requests else None


def _peak(seconds: Sequence[Second], read: Callable[[Second], float | None]) -> float | None:
    return max((value for second in seconds if (value := read(second)) is not None), default=None)

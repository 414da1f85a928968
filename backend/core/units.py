"""All metrics with unit, direction and aggregation over trials, and other closed lists."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """The better direction of a metric."""

    HIGHER = "higher"
    LOWER = "lower"


class Aggregation(StrEnum):
    """How a cell's estimate is computed from its trials.

    GEOMETRIC: geometric mean with a t interval on logs. ARITHMETIC: mean with a t interval, if a
    value has no log. SHARE: mean of shares between 0 and 1, with an interval between 0 and 1.
    """

    GEOMETRIC = "geometric"
    ARITHMETIC = "arithmetic"
    SHARE = "share"


class Metric(StrEnum):
    """Metrics of a trial; each name ends with its unit."""

    THROUGHPUT_RPS = "throughput_rps"
    SUCCESS_RATIO = "success_ratio"
    SUSTAINED_RPS = "sustained_rps"
    KNEE_RPS = "knee_rps"
    LATENCY_P50_MS = "latency_p50_ms"
    LATENCY_P90_MS = "latency_p90_ms"
    LATENCY_P95_MS = "latency_p95_ms"
    LATENCY_P99_MS = "latency_p99_ms"
    LATENCY_P999_MS = "latency_p999_ms"
    LATENCY_MAX_MS = "latency_max_ms"
    LATENCY_MEAN_MS = "latency_mean_ms"
    FIRST_BYTE_P50_MS = "first_byte_p50_ms"
    FIRST_BYTE_P99_MS = "first_byte_p99_ms"
    CPU_US_PER_REQUEST = "cpu_us_per_request"
    CPU_SECONDS = "cpu_seconds"
    CPU_CORES = "cpu_cores"
    MEMORY_PEAK_BYTES = "memory_peak_bytes"
    MEMORY_ANON_BYTES = "memory_anon_bytes"
    MEMORY_FILE_BYTES = "memory_file_bytes"
    MEMORY_SOCK_BYTES = "memory_sock_bytes"
    IDLE_MEMORY_BYTES = "idle_memory_bytes"
    THREADS_PEAK = "threads_peak"
    PAGE_FAULTS_PER_REQUEST = "page_faults_per_request"
    CONNECTIONS_PER_REQUEST = "connections_per_request"
    WINDOW_DRIFT_RATIO = "window_drift_ratio"
    COLD_THROUGHPUT_RPS = "cold_throughput_rps"
    COLD_LATENCY_P50_MS = "cold_latency_p50_ms"
    COLD_CPU_US_PER_REQUEST = "cold_cpu_us_per_request"
    BOOT_MS = "boot_ms"
    FIRST_RESPONSE_MS = "first_response_ms"
    REQUEST_BYTES = "request_bytes"
    RESPONSE_BYTES = "response_bytes"
    BUILD_SECONDS = "build_seconds"
    IMAGE_BYTES = "image_bytes"


class HostFolder(StrEnum):
    """A folder that trials and builds of a bench host fill."""

    DATA = "data folder"
    ENGINE = "container engine"


class FailureCause(StrEnum):
    """Which party made a trial fail. Failures of LOAD_GENERATOR and INFRASTRUCTURE are retried.

    SERVICE: the measured service or one of its peers: its build, its start, its answers.
    LOAD_GENERATOR: k6 died or ended early.
    INFRASTRUCTURE: the host, the container engine, the database, Redis, a backing service, or a
    worker that was lost.
    TACHO: an error in Tacho itself.
    USER: the request, such as a framework that was removed from the catalogue in the meantime.
    """

    SERVICE = "service"
    LOAD_GENERATOR = "load_generator"
    INFRASTRUCTURE = "infrastructure"
    TACHO = "tacho"
    USER = "user"


@dataclass(frozen=True)
class MetricInfo:
    """Name, unit and direction of a metric, shown with its values."""

    metric: Metric
    title: str
    unit: str
    direction: Direction
    aggregation: Aggregation

    @property
    def is_share(self) -> bool:
        """Return whether values are shares, which are compared in percentage points."""
        return self.aggregation is Aggregation.SHARE


def _info(
    metric: Metric,
    title: str,
    unit: str,
    direction: Direction = Direction.LOWER,
    aggregation: Aggregation = Aggregation.GEOMETRIC,
) -> MetricInfo:
    return MetricInfo(metric, title, unit, direction, aggregation)


METRICS: dict[Metric, MetricInfo] = {
    info.metric: info
    for info in (
        _info(Metric.THROUGHPUT_RPS, "Throughput", "req/s", Direction.HIGHER),
        _info(Metric.SUCCESS_RATIO, "Success", "share", Direction.HIGHER, Aggregation.SHARE),
        _info(Metric.SUSTAINED_RPS, "Rate sustained", "req/s", Direction.HIGHER),
        _info(Metric.KNEE_RPS, "Rate at the knee", "req/s", Direction.HIGHER),
        _info(Metric.LATENCY_P50_MS, "Latency p50", "ms"),
        _info(Metric.LATENCY_P90_MS, "Latency p90", "ms"),
        _info(Metric.LATENCY_P95_MS, "Latency p95", "ms"),
        _info(Metric.LATENCY_P99_MS, "Latency p99", "ms"),
        _info(Metric.LATENCY_P999_MS, "Latency p99.9", "ms"),
        _info(Metric.LATENCY_MAX_MS, "Latency max", "ms"),
        _info(Metric.LATENCY_MEAN_MS, "Latency mean", "ms"),
        _info(Metric.FIRST_BYTE_P50_MS, "First byte p50", "ms"),
        _info(Metric.FIRST_BYTE_P99_MS, "First byte p99", "ms"),
        _info(Metric.CPU_US_PER_REQUEST, "CPU per request", "µs"),
        _info(Metric.CPU_SECONDS, "CPU time", "s"),
        _info(Metric.CPU_CORES, "CPU cores used", "cores"),
        _info(Metric.MEMORY_PEAK_BYTES, "Memory peak", "B"),
        _info(Metric.MEMORY_ANON_BYTES, "Memory anonymous", "B"),
        _info(Metric.MEMORY_FILE_BYTES, "Memory file", "B"),
        _info(Metric.MEMORY_SOCK_BYTES, "Memory socket", "B"),
        _info(Metric.IDLE_MEMORY_BYTES, "Memory idle", "B"),
        _info(Metric.THREADS_PEAK, "Threads peak", "threads"),
        _info(Metric.PAGE_FAULTS_PER_REQUEST, "Page faults per request", "faults"),
        _info(Metric.CONNECTIONS_PER_REQUEST, "New connections per request", "connections"),
        _info(Metric.WINDOW_DRIFT_RATIO, "Drift within the window", "times"),
        _info(Metric.COLD_THROUGHPUT_RPS, "Throughput cold", "req/s", Direction.HIGHER),
        _info(Metric.COLD_LATENCY_P50_MS, "Latency p50 cold", "ms"),
        _info(Metric.COLD_CPU_US_PER_REQUEST, "CPU per request cold", "µs"),
        _info(Metric.BOOT_MS, "Boot", "ms"),
        _info(Metric.FIRST_RESPONSE_MS, "First response", "ms"),
        _info(Metric.REQUEST_BYTES, "Request size", "B"),
        _info(Metric.RESPONSE_BYTES, "Response size", "B"),
        _info(Metric.BUILD_SECONDS, "Build", "s"),
        _info(Metric.IMAGE_BYTES, "Image size", "B"),
    )
}


# Metrics of a service before the load.
BEFORE_LOAD = frozenset(
    {
        Metric.IDLE_MEMORY_BYTES,
        Metric.BOOT_MS,
        Metric.FIRST_RESPONSE_MS,
        Metric.BUILD_SECONDS,
        Metric.IMAGE_BYTES,
    }
)
# Metrics of a service before its steady state: before the load, and in the first seconds of it.
OF_START = BEFORE_LOAD | {
    Metric.COLD_THROUGHPUT_RPS,
    Metric.COLD_LATENCY_P50_MS,
    Metric.COLD_CPU_US_PER_REQUEST,
}
# Metrics of one message, whatever the load.
OF_MESSAGE = frozenset({Metric.REQUEST_BYTES, Metric.RESPONSE_BYTES})


class Verdict(StrEnum):
    """Warning about a result, from a closed list that users see; the most severe come first."""

    OK = "ok"
    WORK_NOT_DONE = "work_not_done"
    WRONG_ANSWERS = "wrong_answers"
    FASTER_THAN_POSSIBLE = "faster_than_possible"
    BEHAVIOUR_CHANGED = "behaviour_changed"
    GENERATOR_SATURATED = "generator_saturated"
    RATE_MISSED = "rate_missed"
    SERVER_IDLE = "server_idle"
    LITTLES_LAW_VIOLATED = "littles_law_violated"
    TOO_MANY_ERRORS = "too_many_errors"
    NEVER_STEADY = "never_steady"
    STEADINESS_NOT_TESTED = "steadiness_not_tested"
    THROTTLED = "throttled"
    SERVICE_SATURATED = "service_saturated"
    STREAMS_BUNCHED = "streams_bunched"
    HOST_DISTURBED = "host_disturbed"
    SPEED_VARIED = "speed_varied"
    HOST_BUSY = "host_busy"
    PARTLY_CHECKED = "partly_checked"
    TOO_FEW_TRIALS = "too_few_trials"
    RUNTIME_DIFFERS = "runtime_differs"
    ENVIRONMENT_CHANGED = "environment_changed"

    @property
    def words(self) -> str:
        """Return the verdict as words in the middle of a sentence: `too many errors`."""
        return self.value.replace("_", " ")


class ProfileKind(StrEnum):
    """How load is offered. A k6 script of the kind SCRIPT sends the load itself."""

    RATE = "rate"
    USERS = "users"
    SATURATE = "saturate"
    STEPS = "steps"
    COUNT = "count"
    SCRIPT = "script"


class Purpose(StrEnum):
    """The purpose of a run. Lists and histories show only comparisons.

    CALIBRATION measures which differences a host can detect. CONFIRMATION tests whether two builds
    of a service differ.
    """

    COMPARISON = "comparison"
    CALIBRATION = "calibration"
    CONFIRMATION = "confirmation"


class Phase(StrEnum):
    """The two parts of a load. Both are drawn, but only the measured phase counts."""

    WARM_UP = "warm_up"
    MEASURE = "measure"


class RuntimeKind(StrEnum):
    """Where a service runs. Results of different runtimes are never compared without notice."""

    DOCKER = "docker"
    PROCESS = "process"


class ServiceNetwork(StrEnum):
    """The network in which load hosts reach the service of a trial."""

    OWN = "own, with address translation"
    HOST = "network of the host"


class LatencyStart(StrEnum):
    """The moment from which the latency of a request counts."""

    # When it was due: in loads at a rate. It includes the wait for a connection and connecting.
    DUE = "due time"
    # Its first byte sent: in closed loads, and in older results. In the load of a k6 script, the
    # moment when k6 looked for a connection.
    SEND = "send"


class Isolation(StrEnum):
    """The separation of the code under test from its host.

    NAMESPACES: without a filter of system calls, in results of older versions.
    """

    CONTAINER = "container"
    CONTAINER_USERNS = "container+userns"
    CONTAINER_GVISOR = "container+gvisor"
    NAMESPACES = "namespaces"
    NAMESPACES_FILTER = "namespaces+filter"
    NONE = "none"


class BuildNetwork(StrEnum):
    """The machines that builds reach.

    PROXY: only a filtering proxy. FILTERED: the Internet, but neither the host nor private
    networks. BRIDGE: other machines, and the host at its addresses that are not loopback addresses.
    HOST: all that the host reaches.
    """

    PROXY = "proxy"
    FILTERED = "filtered"
    BRIDGE = "bridge"
    HOST = "host"


# Tables show these metrics first, in this order.
PRIMARY_METRICS = (
    Metric.THROUGHPUT_RPS,
    Metric.SUSTAINED_RPS,
    Metric.LATENCY_P50_MS,
    Metric.LATENCY_P99_MS,
    Metric.CPU_US_PER_REQUEST,
    Metric.MEMORY_PEAK_BYTES,
    Metric.BOOT_MS,
)

# Tables in a terminal have room for these.
TERMINAL_METRICS = (
    Metric.THROUGHPUT_RPS,
    Metric.LATENCY_P50_MS,
    Metric.LATENCY_P99_MS,
    Metric.CPU_US_PER_REQUEST,
)

# The main metrics of each kind of load, by preference.
_MAIN_METRICS = {
    ProfileKind.RATE: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
    ProfileKind.USERS: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
    ProfileKind.SATURATE: (Metric.THROUGHPUT_RPS, Metric.LATENCY_P99_MS),
    ProfileKind.STEPS: (Metric.SUSTAINED_RPS, Metric.KNEE_RPS),
    ProfileKind.COUNT: (Metric.LATENCY_MEAN_MS, Metric.LATENCY_P50_MS),
    ProfileKind.SCRIPT: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
}
MAIN_METRICS = frozenset(metric for metrics in _MAIN_METRICS.values() for metric in metrics)
# Metrics in which results of different kinds of load are compared, by preference.
_MAIN_METRICS_OF_ALL_KINDS = (
    Metric.CPU_US_PER_REQUEST,
    Metric.SUSTAINED_RPS,
    Metric.THROUGHPUT_RPS,
)

_WATCHED_ALWAYS = (
    Metric.CPU_US_PER_REQUEST,
    Metric.LATENCY_P50_MS,
    Metric.LATENCY_P99_MS,
    Metric.MEMORY_PEAK_BYTES,
)
# Metrics in which changes are detected. At a fixed rate, throughput is given; steps mix rates.
WATCHED_METRICS: Mapping[ProfileKind, tuple[Metric, ...]] = {
    ProfileKind.RATE: _WATCHED_ALWAYS,
    ProfileKind.USERS: (Metric.THROUGHPUT_RPS, *_WATCHED_ALWAYS),
    ProfileKind.SATURATE: (Metric.THROUGHPUT_RPS, *_WATCHED_ALWAYS),
    ProfileKind.STEPS: (
        Metric.SUSTAINED_RPS,
        Metric.CPU_US_PER_REQUEST,
        Metric.MEMORY_PEAK_BYTES,
    ),
    ProfileKind.COUNT: (Metric.LATENCY_MEAN_MS, *_WATCHED_ALWAYS),
    ProfileKind.SCRIPT: (Metric.THROUGHPUT_RPS, *_WATCHED_ALWAYS),
}


def find_main_metric(kind: ProfileKind, known: Collection[Metric]) -> Metric:
    """Return the main metric of a kind of load, among those that results have."""
    preferred = _MAIN_METRICS[kind]
    return next((metric for metric in preferred if metric in known), preferred[0])


def find_common_metric(results: Sequence[Collection[Metric]]) -> Metric:
    """Return the main metric for results of any loads: the metric that most of them have.

    Args:
        results: the metrics of each result.
    """
    counts = {
        metric: sum(metric in known for known in results) for metric in _MAIN_METRICS_OF_ALL_KINDS
    }
    return max(counts, key=lambda metric: counts[metric])

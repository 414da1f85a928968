"""The values of one second of a trial, and what each of them means.

This is the only list of these values. The columns of the table `sample`, the fields of the API, the
line of the load generator and the sampler's rows derive from it by name.
"""

from collections import Counter
from dataclasses import dataclass, fields
from typing import Annotated, Any, Self, get_args, get_type_hints

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from backend.core.units import Phase


@dataclass(frozen=True)
class Chart:
    """How a value is drawn over time. A field with a chart gets its figure on every result."""

    key: str
    title: str
    unit: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class SecondPlace:
    """The phase of a second and its number in the phase, from 0."""

    phase: Phase
    second: Annotated[int, Field(description="Number of the second in its phase, from 0.")]


@dataclass(frozen=True, kw_only=True)
class LoadCounts:
    """The counts of the load generator in one second.

    A request belongs to the second in which it was due, or sent if it had no due time. The load
    generator's line of a second has these fields too. A second may have several lines, because late
    responses follow: `add` sums them up.
    """

    requests: NonNegativeInt
    failed: NonNegativeInt
    connections_opened: Annotated[
        NonNegativeInt | None,
        Field(
            description="Number of connections opened in this second. Null in trials of older "
            "versions of Tacho, which did not count them."
        ),
    ]
    errors: Annotated[
        dict[str, PositiveInt],
        Field(description="Counts above zero by kind. The kind `check` counts wrong responses."),
    ]
    bytes_sent: NonNegativeInt
    bytes_received: NonNegativeInt
    dropped: Annotated[
        NonNegativeInt,
        Field(description="Requests that were due but had no free connection or virtual user."),
    ]
    vus: Annotated[
        NonNegativeInt,
        Field(description="Number of virtual users, or of connections for a GET load."),
    ]
    in_flight: Annotated[
        NonNegativeFloat, Field(description="Mean number of requests in flight over the second.")
    ]

    @classmethod
    def none(cls) -> "LoadCounts":
        """Return the counts of a second without any line."""
        zeros: dict[str, Any] = dict.fromkeys(LOAD_NAMES, 0)
        return LoadCounts(**{**zeros, "errors": {}})

    def add(self, other: "LoadCounts") -> "LoadCounts":
        """Return the sum. The number of virtual users is the larger one."""
        values = {name: getattr(self, name) + getattr(other, name) for name in _SUMMED}
        errors = dict(Counter(self.errors) + Counter(other.errors))
        return LoadCounts(**values, errors=errors, vus=max(self.vus, other.vus))


@dataclass(frozen=True, kw_only=True)
class LatencyPercentiles:
    """Percentiles of the requests of a second that succeeded or timed out; None for none."""

    latency_p50_ms: float | None
    latency_p90_ms: float | None
    latency_p95_ms: float | None
    latency_p99_ms: float | None
    latency_max_ms: float | None


@dataclass(frozen=True, kw_only=True)
class ResourceUse:
    """The resources used in one second; None if the runtime could not read a value.

    CPU values are seconds of CPU time used within this second. Values without a role in their name
    are of the service. Gauges, such as memory, are those at the end of the second. A counter of
    `worker.resources.counters` that has the name of a field here fills that field.
    """

    cpu_service_seconds: Annotated[
        float | None,
        Chart(
            "cpu-over-time",
            "Service CPU over time",
            "cores",
            "CPU cores used by the service. At the same rate, lower is cheaper.",
        ),
    ]
    cpu_backing_seconds: float | None
    cpu_load_seconds: float | None
    cpu_other_seconds: Annotated[
        float | None,
        Field(description="CPU time of the trial's CPUs that other programs used."),
    ]
    cpu_steal_seconds: Annotated[
        float | None,
        Field(description="CPU time of the trial's CPUs that the hypervisor took."),
    ]
    throttled_seconds: Annotated[
        float | None, Field(description="Time in which a CPU quota stopped the service.")
    ]
    thermal_throttles: Annotated[
        int | None,
        Field(
            description="How often heat slowed the service's CPUs. Null if the kernel does not "
            "report it."
        ),
    ]
    cpu_mhz: Annotated[
        float | None,
        Field(
            description="Mean frequency of the service's CPUs. Null if the kernel does not report "
            "it."
        ),
    ]
    memory_bytes: Annotated[
        int | None,
        Chart(
            "memory-over-time",
            "Service memory over time",
            "B",
            "Memory of the service, all kinds combined. A steady rise suggests a leak.",
        ),
    ]
    memory_anon_bytes: int | None
    memory_file_bytes: int | None
    memory_sock_bytes: int | None
    threads: int | None
    page_faults: Annotated[
        float | None,
        Field(
            description="How often the service used memory that the kernel had to provide first."
        ),
        Chart(
            "page-faults-over-time",
            "Page faults over time",
            "faults",
            "How often the service used memory that the kernel had to provide first. Each page "
            "fault uses CPU time.",
        ),
    ]

    @classmethod
    def unknown(cls) -> "ResourceUse":
        """Return the resources of a second that could not be read."""
        return ResourceUse(**dict.fromkeys(RESOURCE_NAMES))


@dataclass(frozen=True, kw_only=True)
class Second(ResourceUse, LoadCounts, SecondPlace):
    """One second of a trial, as it is stored.

    `latency` holds the latencies of its requests that succeeded or timed out, encoded by
    `Histogram.to_varints`.
    """

    latency: bytes

    @classmethod
    def of(
        cls,
        phase: Phase,
        number: int,
        counts: LoadCounts,
        resources: ResourceUse,
        latency: bytes,
    ) -> Self:
        """Return the second with this number in its phase, and these values."""
        second = cls.__new__(cls)
        # A frozen dataclass sets its fields one by one, and a trial has hundreds of seconds.
        vars(second).update(vars(counts))
        vars(second).update(vars(resources), phase=phase, second=number, latency=latency)
        return second


def list_charts() -> dict[str, Chart]:
    """Return the chart of each value that has one, by the name of its field."""
    hints = get_type_hints(Second, include_extras=True)
    return {
        name: part
        for name in SECOND_NAMES
        for part in get_args(hints[name])
        if isinstance(part, Chart)
    }


LOAD_NAMES = tuple(field.name for field in fields(LoadCounts))
RESOURCE_NAMES = tuple(field.name for field in fields(ResourceUse))
SECOND_NAMES = tuple(field.name for field in fields(Second))
_SUMMED = tuple(name for name in LOAD_NAMES if name not in {"errors", "vus"})

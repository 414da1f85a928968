"""Trials: stages, per-second series, latency distribution, logs."""

from typing import Any
from uuid import UUID

from pydantic import Field

from backend.api.runs.schemas import TrialOut
from backend.api.schemas import Schema
from backend.core.second import LatencyPercentiles, LoadCounts, Resources, SecondPlace


class Conformance(Schema):
    """One check of the scenario's contract, made before load."""

    name: str
    passed: bool
    expected: str
    got: str


class WarmUpOut(Schema):
    """How the load warmed up: its seconds are in the series, those measured follow them."""

    seconds: int = Field(description="How long it took.", examples=[4])
    cap_seconds: int = Field(description="How long it might have taken.", examples=[8])
    is_steady: bool | None = Field(
        description="Whether the load was steady at its end; null where that is not asked: "
        "warm-ups under 4 s, and loads in steps.",
        examples=[True],
    )
    detail: str = Field(examples=["The load was steady for 4 s."])


class GeneratorOut(Schema):
    """How late requests went out after the instant they were due. Latencies don't include it."""

    late_p99_ms: float = Field(examples=[0.08])
    late_max_ms: float = Field(examples=[1.9])


class TrialDetail(TrialOut):
    run_id: UUID
    image_digest: str | None = None
    requests_total: int | None = Field(None, description="Sent in the measured window.")
    environment: dict[str, Any]
    conformance: list[Conformance]
    warm_up: WarmUpOut | None = None
    generator: GeneratorOut | None = Field(
        None, description="Null where requests are not due at a time, and where k6 itself sent."
    )
    k6_summary: dict[str, Any] | None = Field(
        None, description="k6's own summary of the whole load, warm-up included, where it was kept."
    )


class SampleOut(Schema, Resources, LatencyPercentiles, LoadCounts, SecondPlace):
    """One second. A request belongs to the second in which it was sent."""


class TrialSeries(Schema):
    samples: list[SampleOut]


class StepOut(Schema):
    """One step of a growing rate. Latencies are of its successful requests."""

    step: int = Field(description="From 0.")
    target_rps: int = Field(examples=[200])
    offered: int = Field(description="Requests that were due: sent or dropped.", examples=[1000])
    requests: int
    failed: int
    dropped: int
    success_ratio: float = Field(description="Successful requests of those offered.")
    throughput_rps: float
    latency_p50_ms: float | None
    latency_p90_ms: float | None
    latency_p99_ms: float | None
    latency_mean_ms: float | None
    cpu_us_per_request: float | None
    passed: bool


class StepsOut(Schema):
    steps: list[StepOut]
    sustained_rps: int | None = Field(
        description="Highest rate before the first step that failed; null when that was the first."
    )
    knee_rps: int | None = Field(
        description="Rate above which p99 rises steeply (Kneedle). Null if there is none."
    )


class Percentile(Schema):
    quantile: float = Field(examples=[0.99])
    latency_ms: float


class Bucket(Schema):
    """`count` requests took from `low_ms` to `high_ms`."""

    low_ms: float
    high_ms: float
    count: int


class Latency(Schema):
    """Distribution of the successful requests of the measured window."""

    count: int
    failed: int
    mean_ms: float | None
    max_ms: float | None
    percentiles: list[Percentile] = Field(
        description="For the percentile curve: dense towards the tail, up to the last request."
    )
    buckets: list[Bucket] = Field(description="The mergeable histogram, non-empty buckets only.")


class LatencyHeatMap(Schema):
    """How many successful requests took how long, when."""

    first_second: int = Field(
        description="Where the first column begins, in seconds since measuring began."
    )
    seconds_per_column: int
    edges_ms: list[float] = Field(
        description="Lower edge of each row and upper edge of the last: eight rows an octave."
    )
    columns: list[list[int]] = Field(description="The counts of each column, one per row.")


class LogOut(Schema):
    name: str = Field(examples=["build"])
    content: str


class Logs(Schema):
    items: list[LogOut]

"""Trials: stages, per-second series, latency distribution, logs."""

from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from backend.api.runs.schemas import TrialOut
from backend.core.bodies import Schema
from backend.core.second import LatencyPercentiles, LoadCounts, ResourceUse, SecondPlace
from backend.core.units import LatencyStart


class Conformance(Schema):
    """One check of the scenario's contract, made before or after the load."""

    name: str
    passed: bool
    expected: str
    got: str


class WrongAnswerOut(Schema):
    """A request of the load whose response was wrong."""

    request: str = Field(examples=["GET /hello?nonce=9f86d081884c7d65"])
    expected: str = Field(examples=["Hello World!"])
    got: str = Field(examples=["Hello"])


class CallCountOut(Schema):
    """Calls of the load that reached a backing service or a peer."""

    name: str = Field(examples=["calls of the upstream"])
    calls: int | None = Field(
        examples=[52310], description="Null if the count could not be read after the load."
    )


class ResponseChecksOut(Schema):
    """How the responses of the whole load, with its warm-up, were checked.

    Control requests, which the service must refuse, are counted apart.
    """

    sent: int = Field(description="Number of requests sent.", examples=[52310])
    answered: int = Field(
        description="Number of responses with the expected status. Every response is checked.",
        examples=[52310],
    )
    resent: int = Field(
        description="How often requests were sent again, because the service had closed the "
        "connection before any byte of the response. Only idempotent requests are sent again, and "
        "those of which no byte was sent."
    )
    compared: int = Field(
        description="Number of responses that were compared in full: a random sample.",
        examples=[523],
    )
    wrong: int = Field(description="Number of wrong responses.")
    signed: int = Field(
        description="Number of responses with a valid signature of a backing service or a peer."
    )
    bunched: int = Field(description="Number of streams whose items arrived together.")
    controls: int = Field(description="Number of control requests.", examples=[52])
    controls_wrong: int = Field(description="Number of control requests that were not refused.")
    first_wrong: WrongAnswerOut | None = Field(description="Null if no response was wrong.")
    counts: list[CallCountOut] = Field(
        description="Calls that backing services and peers received, by their own counts."
    )


class WarmUpOut(Schema):
    """The warm-up of a load. The series contains its seconds before the measured seconds."""

    seconds: int = Field(description="Duration of the warm-up.", examples=[4])
    cap_seconds: int = Field(description="Longest duration of the warm-up.", examples=[8])
    is_steady: bool | None = Field(
        description="Whether the load was steady at the end of the warm-up. Null for warm-ups "
        "under 4 s and for stepped loads, which are not tested.",
        examples=[True],
    )
    detail: str = Field(examples=["The load was steady for 4 s."])


class GeneratorOut(Schema):
    """How late the load generator began requests that were due at a time.

    Latencies that count from the due time include this delay.
    """

    late_p99_ms: float = Field(examples=[0.08])
    late_max_ms: float = Field(examples=[1.9])


class TrialDetail(TrialOut):
    run_id: UUID
    image_digest: str | None = None
    requests_total: int | None = Field(
        None, description="Number of requests sent in the measured window."
    )
    environment: dict[str, object]
    conformance: list[Conformance] = Field(description="The checks before the load.")
    conformance_after: list[Conformance] = Field(
        description="The checks that ran again after the load. Empty in trials of older versions "
        "of Tacho."
    )
    checks: ResponseChecksOut | None = Field(
        None,
        description="The checks of the responses under load. Null before the end of the load, and "
        "in trials of older versions of Tacho.",
    )
    warm_up: WarmUpOut | None = None
    generator: GeneratorOut | None = Field(None, description="Null if requests have no due time.")
    k6_summary: dict[str, object] | None = Field(
        None,
        description="The summary that k6 wrote of the whole load with its warm-up. Null unless "
        "TACHO_K6_SUMMARY stores it.",
    )


class SampleOut(Schema, ResourceUse, LatencyPercentiles, LoadCounts, SecondPlace):
    """One second. A request belongs to the second in which it was due.

    A request without a due time belongs to the second in which it was sent.
    """


class TrialSeries(Schema):
    samples: list[SampleOut]


class StepOut(Schema):
    """One step of a growing rate. Latencies are of its requests that succeeded or timed out."""

    step: int = Field(description="From 0.")
    target_rps: int = Field(examples=[200])
    offered: int = Field(
        description="Number of requests that were due, sent or dropped.", examples=[1000]
    )
    requests: int
    failed: int
    dropped: int
    success_ratio: float = Field(description="Share of offered requests that succeeded.")
    throughput_rps: float
    latency_p50_ms: float | None
    latency_p90_ms: float | None
    latency_p99_ms: float | None
    latency_mean_ms: float | None
    cpu_us_per_request: float | None
    passed: bool


class Percentile(Schema):
    quantile: float = Field(examples=[0.99])
    latency_ms: float


class Bucket(TypedDict):
    """Number of requests (`count`) with a latency from `low_ms` to `high_ms`."""

    low_ms: float
    high_ms: float
    count: int


class Latency(Schema):
    """Distribution of the requests of the measured window that succeeded or timed out.

    In trials of older versions, requests that timed out are among the failed ones.
    """

    counted_from: LatencyStart = Field(
        description="The moment from which the latency of a request counts. In loads at a rate, it "
        "is the time at which the request was due, so the latency includes the wait for a "
        "connection and connecting. Otherwise it is the first byte sent."
    )
    count: int
    failed: int = Field(
        description="Number of requests that failed in another way than by a timeout. They are not "
        "in the distribution."
    )
    mean_ms: float | None
    max_ms: float | None
    percentiles: list[Percentile] = Field(
        description="Points of the percentile curve, denser towards the tail, up to the slowest "
        "request."
    )
    service_percentiles: list[Percentile] = Field(
        description="The same curve of the service time, which counts from the first byte sent, of "
        "the successful requests. Empty if the latency counts from there too."
    )
    buckets: list[Bucket] = Field(
        description="The non-empty buckets of the histogram. Histograms of trials can be merged."
    )


class LogOut(Schema):
    name: str = Field(examples=["build"])
    content: str


class Logs(Schema):
    items: list[LogOut]

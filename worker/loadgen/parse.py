"""Parse the load generator's output, which is one JSON object per line, with strict checks."""

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PlainValidator,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)

from backend.core.errors import LoadFailed
from backend.core.second import LoadCounts

_SHOWN_CHARACTERS = 200
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class LoadLineInvalid(LoadFailed):
    """A line does not have the format of this version of the load generator."""

    code = "load_line_invalid"
    title = "The load generator's output cannot be read"


def _decode_base64(text: object) -> bytes:
    if not isinstance(text, str):
        raise ValueError("not a string")  # noqa: TRY004  pydantic reports no other error
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from error


Varints = Annotated[bytes, PlainValidator(_decode_base64)]


@dataclass(frozen=True, kw_only=True)
class StartLine:
    """The start of the load. `wall_ns` is the Unix time (ns) at which its second 0 begins.

    The load lasts at most `seconds`.
    """

    __pydantic_config__ = _STRICT

    type: Literal["start"] = "start"
    wall_ns: PositiveInt
    seconds: PositiveInt


@dataclass(frozen=True, kw_only=True)
class SecondLine(LoadCounts):
    """The counts of one second of the load, numbered from its start, and its latencies in ns.

    A latency counts from the moment when the request was due. Requests without a due time, such as
    those of closed loads, count from the first byte sent.

    Control requests count as requests. They have no latency, because a refusal costs less than an
    answer.

    A second may have several lines, because late responses follow. Maxima stay maxima, other
    numbers add up, and histograms merge. Histograms are encoded for `Histogram.from_varints`.

    Attributes:
        latency_sum_ns, latency_max_ns: of the same requests as `latency`, exact.
        latency: latencies of the requests that succeeded or timed out. A request that timed out has
            at least the timeout.
        latency_failed: latencies of the requests that failed in another way.
        service_time: times from the first byte sent to the end of the response, of the successful
            requests that were due at a time.
        lateness: how late requests were begun that were due at a time. Latencies include it. Empty
            if requests have no due time.
        first_byte: times to the first byte of the response's body, of the successful requests,
            from the same moment as their latencies. Empty unless the scenario requires it.
        script_share: the share of the time in which the scenario's script worked. None if it
            neither draws requests nor compares every response, and in later lines of the second.
    """

    __pydantic_config__ = _STRICT

    type: Literal["second"] = "second"
    second: NonNegativeInt
    latency_sum_ns: NonNegativeInt
    latency_max_ns: NonNegativeInt
    latency: Varints
    latency_failed: Varints
    service_time: Varints = b""
    lateness: Varints = b""
    first_byte: Varints = b""
    script_share: Annotated[float, Field(ge=0, le=1)] | None = None


@dataclass(frozen=True, kw_only=True)
class K6Summary:
    """k6's own counts of the whole load, which are independent of Tacho's output.

    `requests` counts all requests. The latencies (ms) are those of the `succeeded` requests.
    """

    __pydantic_config__ = _STRICT

    requests: NonNegativeInt
    succeeded: NonNegativeInt
    p50_ms: NonNegativeFloat
    p90_ms: NonNegativeFloat
    p95_ms: NonNegativeFloat
    p99_ms: NonNegativeFloat
    p999_ms: NonNegativeFloat
    max_ms: NonNegativeFloat
    sum_ms: NonNegativeFloat


@dataclass(frozen=True, kw_only=True)
class FirstWrongAnswer:
    """The first wrong response of the load, as short texts for a person to compare."""

    __pydantic_config__ = _STRICT

    request: str
    expected: str
    got: str


@dataclass(frozen=True, kw_only=True)
class LoadChecks:
    """The checks of the responses of the whole load, warm-up included.

    A response that a network error cut off is a failure and not wrong.

    Attributes:
        sent: requests that the service must answer normally. Control requests are apart.
        answered: those with the expected status.
        resent: how often they were sent again, because the service had closed a used connection
            before any byte of the response. Only idempotent requests are sent again, and those of
            which no byte was sent.
        compared: answered requests of the sample, whose responses were compared in full.
        wrong: responses that failed a check, each counted once.
        signed: responses with a valid signature.
        bunched: streams whose items arrived bunched.
        controls: control requests, which the service must refuse.
        controls_wrong: their responses that failed a check.
        first_wrong: None if no response was wrong.
    """

    __pydantic_config__ = _STRICT

    sent: NonNegativeInt = 0
    answered: NonNegativeInt = 0
    resent: NonNegativeInt = 0
    compared: NonNegativeInt = 0
    wrong: NonNegativeInt = 0
    signed: NonNegativeInt = 0
    bunched: NonNegativeInt = 0
    controls: NonNegativeInt = 0
    controls_wrong: NonNegativeInt = 0
    first_wrong: FirstWrongAnswer | None = None


@dataclass(frozen=True, kw_only=True)
class ScriptCheck:
    """How often a check of a script passed and failed, in all its groups."""

    __pydantic_config__ = _STRICT

    name: str
    passes: NonNegativeInt
    fails: NonNegativeInt


@dataclass(frozen=True, kw_only=True)
class ScriptThreshold:
    """A threshold of a script, such as `p(95)<200` of the metric `http_req_duration`."""

    __pydantic_config__ = _STRICT

    metric: str
    threshold: str
    passed: bool


@dataclass(frozen=True, kw_only=True)
class ScriptMetric:
    """A metric that a script defines, in its own unit.

    Attributes:
        value: sum of a counter, last value of a gauge, share of the values of a rate that are not
            0. None for a trend, and if the value is not finite.
        med, p95: median and 95th percentile of a trend; None for the others.
    """

    __pydantic_config__ = _STRICT

    name: str
    type: Literal["counter", "gauge", "rate", "trend"]
    value: float | None = None
    med: float | None = None
    p95: float | None = None


@dataclass(frozen=True, kw_only=True)
class ScriptReport:
    """The tests of a k6 script in its whole run, and its own metrics in the window.

    Checks, thresholds and metrics are at most 100 each.
    """

    __pydantic_config__ = _STRICT

    checks: list[ScriptCheck]
    thresholds: list[ScriptThreshold]
    metrics: list[ScriptMetric]


@dataclass(frozen=True, kw_only=True)
class EndLine:
    """The end of the load, with the sums of its requests and dropped requests.

    Attributes:
        interrupted: requests that the senders abandoned. It is 0 if the load was finished.
        script: None unless a k6 script sent the load itself.
    """

    __pydantic_config__ = _STRICT

    type: Literal["end"] = "end"
    requests: NonNegativeInt
    dropped: NonNegativeInt
    interrupted: NonNegativeInt
    checks: LoadChecks = LoadChecks()
    k6_summary: K6Summary | None = None
    script: ScriptReport | None = None


@dataclass(frozen=True, kw_only=True)
class ConformanceLine:
    """A check of verify.js: the expected and the actual behaviour of the service.

    Attributes:
        answered: False if the check failed and the last request before it got no answer, or 5xx.
    """

    __pydantic_config__ = _STRICT

    type: Literal["conformance"] = "conformance"
    name: str
    passed: bool
    expected: str
    got: str
    answered: bool = True


@dataclass(frozen=True, kw_only=True)
class CountLine:
    """A count that verify.js read, such as the calls that a peer has received."""

    __pydantic_config__ = _STRICT

    type: Literal["count"] = "count"
    name: str
    value: NonNegativeInt


@dataclass(frozen=True, kw_only=True)
class ResponseLine:
    """A response to a request of an own service's load, to compare versions.

    Attributes:
        headers: by lower-case name.
        body: as text; only its beginning if it is long.
        digest: SHA-256 (hex) of the whole body.
    """

    __pydantic_config__ = _STRICT

    type: Literal["response"] = "response"
    request: str
    status: NonNegativeInt
    headers: dict[str, str]
    body: str
    digest: str


@dataclass(frozen=True, kw_only=True)
class PollingLine:
    """The start of the wait for a service, whose boot is timed. It may be started now."""

    __pydantic_config__ = _STRICT

    type: Literal["polling"] = "polling"


@dataclass(frozen=True, kw_only=True)
class ReadyLine:
    """The end of the wait: the service is ready since `ready_wall_ns` (Unix time).

    The first response of the scenario's own path took `first_response_ms`. The fields of the first
    response are None if it was not requested.
    """

    __pydantic_config__ = _STRICT

    type: Literal["ready"] = "ready"
    ready_wall_ns: PositiveInt
    first_response_ms: NonNegativeFloat | None
    first_status: int | None
    attempts: PositiveInt


@dataclass(frozen=True, kw_only=True)
class ReadyFailedLine:
    """A service did not become ready in time."""

    __pydantic_config__ = _STRICT

    type: Literal["ready_failed"] = "ready_failed"
    reason: str


@dataclass(frozen=True, kw_only=True)
class EchoLine:
    """The start of an echo server for measurements of the network."""

    __pydantic_config__ = _STRICT

    type: Literal["echo"] = "echo"
    port: PositiveInt


@dataclass(frozen=True, kw_only=True)
class NetworkLine:
    """The network to an echo server: round trips (ms), and throughput in both directions (Mbit/s).

    `send_mbps` is the direction of requests, `receive_mbps` that of responses.
    """

    __pydantic_config__ = _STRICT

    type: Literal["network"] = "network"
    round_trips: PositiveInt
    min_ms: NonNegativeFloat
    p50_ms: NonNegativeFloat
    p90_ms: NonNegativeFloat
    p99_ms: NonNegativeFloat
    max_ms: NonNegativeFloat
    send_mbps: NonNegativeFloat
    receive_mbps: NonNegativeFloat


LoadLine = (
    StartLine
    | SecondLine
    | EndLine
    | ConformanceLine
    | CountLine
    | ResponseLine
    | PollingLine
    | ReadyLine
    | ReadyFailedLine
    | EchoLine
    | NetworkLine
)

_ADAPTER: TypeAdapter[LoadLine] = TypeAdapter(Annotated[LoadLine, Field(discriminator="type")])


def parse_line(line: str) -> LoadLine:
    """Parse a line.

    Raises:
        LoadLineInvalid: with the fault and the beginning of the line.
    """
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        fields = dict.fromkeys(".".join(map(str, fault["loc"])) for fault in faults)
        what = ", ".join(filter(None, fields)) or "the whole line"
        shown = line.strip()[:_SHOWN_CHARACTERS]
        raise LoadLineInvalid(
            f"The load generator wrote a line that Tacho cannot read ({what}): {shown}", line=shown
        ) from error

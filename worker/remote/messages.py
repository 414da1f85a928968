"""The messages about the load of a trial from load hosts, the service's host and the dispatcher."""

from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from worker.loadgen.command import Segment

# Limits of texts, because another host sends them.
ShortText = Annotated[str, Field(max_length=200)]
LongText = Annotated[str, Field(max_length=100_000)]


class _LoadMessage(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, ser_json_bytes="base64", val_json_bytes="base64"
    )


class LoadPart(_LoadMessage):
    """A segment of a trial's load. The dispatcher requests it from the load host.

    Attributes:
        service_host: queue of the host that runs the service and has the order.
        segment_index, segment_count: the part of the load, from 0.
    """

    run_id: UUID
    trial_id: UUID
    attempt: int
    service_host: str
    segment_index: int
    segment_count: int

    @property
    def load_id(self) -> str:
        """Return the part of the names of Redis keys that identifies the load."""
        return make_load_id(self.trial_id, self.attempt)

    @property
    def segment(self) -> Segment:
        """Return the part of the load to send."""
        return Segment(self.segment_index, self.segment_count)


def make_load_id(trial_id: UUID, attempt: int) -> str:
    """Return the part of the names of Redis keys that identifies a load."""
    return f"{trial_id}.{attempt}"


class LoadOrder(_LoadMessage):
    """Order of the service's host: what the load hosts of a trial send.

    Attributes:
        k6_sha256: digest of the load generator of the service's host. All hosts need the same.
        echo_address: address and port of the server to which the network is measured.
        scripts, data: files by path. They are the scenario's scripts and data.
        environment: variables of the scripts.
    """

    k6_sha256: str
    echo_address: str
    scripts: dict[str, bytes]
    data: dict[str, bytes]
    environment: dict[str, str]


class Signal(StrEnum):
    """A request of the service's host to its load hosts during a trial."""

    MEASURE = "measure"
    PREPARE = "prepare"
    START = "start"
    FINISH = "finish"


class Accepted(_LoadMessage):
    """The load host has the order. `cpus` are those on which it sends."""

    kind: Literal["accepted"] = "accepted"
    host_digest: ShortText
    cpus: list[Annotated[int, Field(ge=0, le=8191)]] = Field(max_length=8192)
    k6_sha256: ShortText


class Measured(_LoadMessage):
    """The load host has measured the network: the line of `k6 network`."""

    kind: Literal["measured"] = "measured"
    line: str


class Ready(_LoadMessage):
    """k6 is prepared and waits for the start."""

    kind: Literal["ready"] = "ready"


class Started(_LoadMessage):
    """k6 has begun to send: `offset_ns` after the start signal arrived, on the host's own clock."""

    kind: Literal["started"] = "started"
    offset_ns: int = Field(ge=0, lt=2**62)
    seconds: int = Field(ge=0, lt=2**31)


class Line(_LoadMessage):
    """A line that k6 wrote, and the CPU time that it used since the line before."""

    kind: Literal["line"] = "line"
    text: str
    cpu_seconds: float = Field(ge=0, le=1e9)


class Ended(_LoadMessage):
    """k6 has ended: with an exit code, or by a signal."""

    kind: Literal["ended"] = "ended"
    code: int | None
    signal_number: int | None
    stderr: LongText


class Failed(_LoadMessage):
    """The load host cannot send its part of the load."""

    kind: Literal["failed"] = "failed"
    detail: LongText


class Beat(_LoadMessage):
    """The load host is alive."""

    kind: Literal["beat"] = "beat"


Report = Accepted | Measured | Ready | Started | Line | Ended | Failed | Beat

REPORTS: TypeAdapter[Report] = TypeAdapter(Annotated[Report, Field(discriminator="kind")])

"""The messages between the host of a service and a load host about the load of a trial."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter

from worker.loadgen.command import Segment


class _LoadMessage(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LoadOrder(_LoadMessage):
    """An order to send one segment of a trial's load.

    Attributes:
        segment_index, segment_count: the part of the load, from 0.
        k6_sha256: digest of the load generator of the service's host. All hosts need the same.
        echo_address: address and port of the server to which the network is measured.
        scripts, data: files by path. They are the scenario's scripts and data.
        environment: variables of the scripts.
    """

    run_id: str
    trial_id: str
    attempt: int
    segment_index: int
    segment_count: int
    k6_sha256: str
    echo_address: str
    scripts: dict[str, Base64Bytes]
    data: dict[str, Base64Bytes]
    environment: dict[str, str]

    @property
    def load_id(self) -> str:
        """Return the part of the names of Redis keys that identifies the load."""
        return f"{self.trial_id}.{self.attempt}"

    @property
    def segment(self) -> Segment:
        """Return the part of the load to send."""
        return Segment(self.segment_index, self.segment_count)


class Signal(StrEnum):
    """A request of the service's host to its load hosts during a trial."""

    MEASURE = "measure"
    PREPARE = "prepare"
    START = "start"
    FINISH = "finish"


class Accepted(_LoadMessage):
    """The load host has the order. `cpus` are those on which it sends."""

    kind: Literal["accepted"] = "accepted"
    host_digest: str
    cpus: list[int]
    k6_sha256: str


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
    offset_ns: int
    seconds: int


class Line(_LoadMessage):
    """A line that k6 wrote, and the CPU time that it used since the line before."""

    kind: Literal["line"] = "line"
    text: str
    cpu_seconds: float


class Ended(_LoadMessage):
    """k6 has ended: with an exit code, or by a signal."""

    kind: Literal["ended"] = "ended"
    code: int | None
    signal_number: int | None
    stderr: str


class Failed(_LoadMessage):
    """The load host cannot send its part of the load."""

    kind: Literal["failed"] = "failed"
    detail: str


class Beat(_LoadMessage):
    """The load host is alive."""

    kind: Literal["beat"] = "beat"


Report = Accepted | Measured | Ready | Started | Line | Ended | Failed | Beat

REPORTS: TypeAdapter[Report] = TypeAdapter(Annotated[Report, Field(discriminator="kind")])

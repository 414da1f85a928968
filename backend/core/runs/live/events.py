"""The events of a run: what workers publish, what the API streams, and the types of the web client.

`event_stream` stores and reads them. Only the API creates the event `run`, from the
database, and the event `closed`.
"""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from backend.core.documents import Failure
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import Phase


class LiveEvent(BaseModel):
    """Base of all events of a run. `kind` is the event's name in the stream."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: ClassVar[str]


class TrialEvent(LiveEvent):
    """A trial entered or left a stage, or ended."""

    kind = "trial"

    trial_id: UUID
    cell_id: UUID
    repetition: int = Field(description="Number of the repetition, from 1.")
    status: TrialStatus
    at: datetime = Field(description="Time of the change.")
    stage_seconds: dict[str, float] = Field(description="Seconds spent in each stage so far.")
    failure: Failure | None = Field(description="Null unless the trial failed.")


class LoadSecond(BaseModel):
    """The load of one second."""

    requests: int
    failed: int
    dropped: int
    in_flight: float = Field(description="Mean number of requests in flight.")
    latency_p50_ms: float | None = Field(description="Null without a successful request.")
    latency_p99_ms: float | None = Field(description="Null without a successful request.")
    latency_max_ms: float | None = Field(description="Null without a successful request.")


class UsageSecond(BaseModel):
    """The resources that a trial used in one second. Null for a value that was not read."""

    cpu_service_seconds: float | None
    cpu_load_seconds: float | None = Field(description="CPU time of the load generator.")
    memory_bytes: int | None = Field(description="Memory of the service at the end of the second.")
    taken_share: float | None = Field(
        None,
        description="Share of the trial's CPUs that other programs and the hypervisor used. Null "
        "from a worker of an older version.",
    )


class SampleEvent(LiveEvent, LoadSecond, UsageSecond):
    """The measurements of one second. A later event for the same second replaces it."""

    kind = "sample"

    trial_id: UUID
    cell_id: UUID
    phase: Phase
    second: int = Field(description="From 0 in each phase.")


class LogEvent(LiveEvent):
    """A line that a part of a trial wrote."""

    kind = "log"

    trial_id: UUID
    name: str = Field(examples=["build"], description="The part that wrote the line.")
    line: str


class GapEvent(LiveEvent):
    """Events before this event were dropped because Redis did not respond in time."""

    kind = "gap"

    dropped: int = Field(description="Number of dropped events.")


class ClosedEvent(LiveEvent):
    """The client may not follow the run any more; no event follows.

    Its rights, the visibility of the run or its session has changed.
    """

    kind = "closed"

    detail: str = Field(examples=["You may not follow this run any more."])


class EndEvent(LiveEvent):
    """The run has ended; no event follows."""

    kind = "end"

    status: RunStatus

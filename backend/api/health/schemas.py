"""Whether the product's parts answer."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from backend.api.hosts.schemas import HostState
from backend.api.schemas import Schema


class PartStatus(StrEnum):
    OK = "ok"
    DOWN = "down"


class HostHealth(Schema):
    name: str = Field(examples=["bench-01"])
    status: PartStatus = Field(description="down when its worker was not seen for 30 s.")
    state: HostState


class PartHealth(Schema):
    """A part that `tacho up` supervises."""

    name: str = Field(examples=["worker"])
    status: PartStatus = Field(
        description="down from an unexpected end until it has run for a minute again."
    )
    restarts: int = Field(description="Since Tacho started.")
    reason: str | None = Field(
        description="How its process ended last.", examples=["ended with exit code 1"]
    )
    failed_at: datetime | None = Field(description="When its process ended last.")
    next_try_at: datetime | None = Field(description="When it is started again; null if it runs.")
    last_lines: list[str] = Field(
        description="The last lines of its log; empty for callers who may not write."
    )


class Health(Schema):
    status: PartStatus
    database: PartStatus
    broker: PartStatus
    hosts: list[HostHealth]
    parts: list[PartHealth] = Field(
        description="The parts of this installation; empty where something other than `tacho up`, "
        "such as Docker, restarts them."
    )
    version: str
    statistics_version: int = Field(
        description="Version of the statistics that computes results now. A snapshot has the "
        "version that computed it."
    )
    detail: str | None = Field(None, description="Names the part that is down.")

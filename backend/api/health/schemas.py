"""Whether the product's parts answer."""

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


class Health(Schema):
    status: PartStatus
    database: PartStatus
    broker: PartStatus
    hosts: list[HostHealth]
    version: str
    detail: str | None = Field(None, description="Names the part that is down.")

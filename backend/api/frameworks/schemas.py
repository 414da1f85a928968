"""Frameworks of the catalogue."""

from datetime import datetime

from pydantic import Field

from backend.api.runs.schemas import CellOut
from backend.api.schemas import Schema
from backend.core.catalog.manifest import Concurrency, Mode


class VersionsOut(Schema):
    language: str
    runtime: str = Field(examples=["Node.js 24"])
    framework: str = Field(examples=["node:http"])


class TopologyOut(Schema):
    """What runs in a scenario beside the service that gets the load."""

    peers: list[str] = Field(description="Further services of the same framework.")
    backing_services: list[str] = Field(
        description="Such as a registry. Their cost is counted apart."
    )


class FrameworkOut(Schema):
    slug: str = Field(examples=["node"])
    version_of: str | None = Field(
        description="Slug of the framework that it is a further version of; null otherwise."
    )
    name: str = Field(examples=["Node.js"])
    language: str = Field(examples=["JavaScript"])
    description: str
    concurrency: Concurrency
    mode: Mode
    licence: str
    versions: VersionsOut
    website: str
    source: str | None = None
    scenarios: list[str] = Field(description="Slugs of the scenarios it implements.")
    topologies: dict[str, TopologyOut] = Field(
        description="Of those scenarios that take more than the one service."
    )
    colour: int = Field(description="Index into the interface's series colours; stable.")
    digest: str = Field(description="SHA-256 of its folder.")
    unavailable: dict[str, str] = Field(
        description="Host name to why it cannot run there; empty when it runs everywhere."
    )


class LatestResult(Schema):
    """The newest cell of a scenario, profile and host that gave a number."""

    run_slug: str
    host: str
    at: datetime
    cell: CellOut

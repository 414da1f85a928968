"""Frameworks of the catalogue."""

from datetime import datetime

from pydantic import Field

from backend.api.runs.schemas import CellOut
from backend.api.schemas import Schema
from backend.core.catalog.manifest import Concurrency, Mode
from backend.core.units import Metric


class VersionsOut(Schema):
    language: str
    runtime: str = Field(examples=["Node.js 24"])
    framework: str = Field(examples=["node:http"])


class TopologyOut(Schema):
    """The services of a scenario next to the service that receives the load."""

    peers: list[str] = Field(description="Number of further services of the same framework.")
    backing_services: list[str] = Field(
        description="Backing services, such as a registry. Their cost is counted separately."
    )


class FrameworkOut(Schema):
    slug: str = Field(examples=["node"])
    version_of: str | None = Field(
        description="For a further version of a framework: its slug. Otherwise null."
    )
    name: str = Field(examples=["Node.js"])
    language: str = Field(examples=["JavaScript"])
    description: str
    concurrency: Concurrency
    mode: Mode
    licence: str
    versions: VersionsOut
    language_settings: list[str] = Field(
        description="The settings of the language runtime that Tacho chooses for all services on "
        "it. Heaps are of the current limit of memory.",
        examples=[["Node.js: an old generation of at most 512 MB, half of the memory"]],
    )
    website: str
    source: str | None = None
    scenarios: list[str] = Field(
        description="Slugs of the scenarios that the framework implements."
    )
    topologies: dict[str, TopologyOut] = Field(
        description="Services by scenario, for scenarios with more than one service."
    )
    colour: int = Field(
        description="Index of the colour and marker of the framework. It never changes."
    )
    digest: str = Field(
        description="SHA-256 of the files of the framework. If bench hosts have different files, "
        "those of the installation count, and among hosts that joined the files that were "
        "registered last."
    )
    digests: dict[str, str] = Field(
        description="Digest of the files that each bench host has, by host name. Hosts without "
        "the framework are left out."
    )
    unavailable: dict[str, str] = Field(
        description="Reason why the framework of this digest cannot run, by host name. Empty if "
        "it runs on all hosts."
    )


class LatestResult(Schema):
    """The newest cell with a number, by scenario, profile and host."""

    run_slug: str
    host: str
    at: datetime
    metric: Metric = Field(description="The main metric of the load.")
    cell: CellOut

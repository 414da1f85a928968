"""Frameworks of the catalogue."""

from pydantic import Field

from backend.api.schemas import Schema
from backend.core.catalog.manifest import Concurrency, Mode


class Versions(Schema):
    language: str
    runtime: str = Field(examples=["Node.js 24"])
    framework: str = Field(examples=["node:http"])


class FrameworkOut(Schema):
    slug: str = Field(examples=["node"])
    name: str = Field(examples=["Node.js"])
    language: str = Field(examples=["JavaScript"])
    description: str
    concurrency: Concurrency
    mode: Mode
    licence: str
    versions: Versions
    website: str
    source: str | None = None
    scenarios: list[str] = Field(description="Slugs of the scenarios it implements.")
    colour: int = Field(description="Index into the interface's series colours; stable.")
    digest: str = Field(description="SHA-256 of its folder.")
    unavailable: dict[str, str] = Field(
        description="Host name to why it cannot run there; empty when it runs everywhere."
    )

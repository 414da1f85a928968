"""Scenarios of the catalogue with their load profiles."""

from typing import Literal

from pydantic import Field

from backend.api.schemas import Schema
from backend.core.units import ProfileKind


class ProfileOut(Schema):
    slug: str = Field(examples=["rate-quick"])
    name: str = Field(examples=["rate"])
    variant: str = Field(examples=["quick"], description="quick or full")
    kind: ProfileKind
    description: str
    sweeps: str | None = Field(
        None,
        examples=["delay_ms"],
        description="The parameter that a sweep varies: the run gets a cell per value. The schema"
        " of the parameter is an array.",
    )
    parameters: dict[str, object] = Field(
        description="JSON Schema of the bounded parameters; each property has `title`, `unit`, "
        "`minimum`, `maximum`, `default`, `description`."
    )


class ScenarioOut(Schema):
    slug: str = Field(examples=["hello"])
    name: str = Field(examples=["Hello"])
    description: str
    method: Literal["GET", "POST"] = Field(description="Method of the first request.")
    path: str = Field(examples=["/hello"], description="Path of the first request.")
    backing_services: list[str] = Field(
        description="Services that a scenario needs next to the service."
    )
    digest: str = Field(
        description="SHA-256 of the files of the scenario. If bench hosts have different files, "
        "those of the installation count, and among hosts that joined the files that were "
        "registered last."
    )
    digests: dict[str, str] = Field(
        description="Digest of the files that each bench host has, by host name. Hosts without "
        "the scenario are left out."
    )
    default_profile: str = Field(examples=["rate-quick"])
    profiles: list[ProfileOut]
    frameworks: list[str] = Field(
        description="Slugs of the frameworks that implement the scenario."
    )

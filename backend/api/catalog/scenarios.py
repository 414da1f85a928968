"""GET /scenarios, /scenarios/{slug}."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import Path, Query, Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import Name, Page
from backend.core.bodies import Schema
from backend.core.catalog import repository
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import Mode, ScenarioManifest
from backend.core.catalog.profiles import list_profiles
from backend.core.models import Framework, Scenario
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
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


router = NounRouter(prefix="/scenarios", tags=["scenarios"], dependencies=[needs(Permission.OPEN)])


@router.get("", response_model=Page[ScenarioOut], responses=problems(422) | NOT_MODIFIED)
async def list_scenarios(
    responder: ResponderDep,
    reference: Annotated[
        bool, Query(description="Return the scenarios of calibration instead.")
    ] = False,
) -> Response:
    """Return the scenarios of the catalogue, with profiles and parameter bounds."""
    return await responder.respond(_show_list, reference)


def _show_list(session: Session, _: Viewer, is_reference: bool) -> Page[ScenarioOut]:
    frameworks = repository.list_frameworks(session, tuple(Mode))
    scenarios = repository.list_scenarios(session, is_reference=is_reference)
    sources = read_host_sources(session, repository.list_hosts(session))
    return Page(items=[_out(item, frameworks, sources) for item in scenarios])


@router.get("/{slug}", response_model=ScenarioOut, responses=problems(404, 422) | NOT_MODIFIED)
async def get_scenario(
    responder: ResponderDep, slug: Annotated[Name, Path(examples=["hello"])]
) -> Response:
    """Return a scenario."""
    return await responder.respond(_show_scenario, slug)


def _show_scenario(session: Session, _: Viewer, slug: str) -> ScenarioOut:
    scenario = repository.get_scenario(session, slug)
    sources = read_host_sources(session, repository.list_hosts(session))
    return _out(scenario, repository.list_frameworks(session, tuple(Mode)), sources)


def _out(
    scenario: Scenario, frameworks: Sequence[Framework], sources: Mapping[str, HostSources]
) -> ScenarioOut:
    """Return a scenario with the frameworks that implement it, and the hosts that have it.

    Args:
        sources: what each host has, by the name of the host.
    """
    manifest = ScenarioManifest.model_validate(scenario.manifest)
    profiles = list_profiles(manifest)
    return ScenarioOut(
        slug=manifest.slug,
        name=manifest.name,
        description=manifest.description,
        method=manifest.first_method,
        path=manifest.path,
        backing_services=list(manifest.backing_services),
        digest=scenario.digest,
        digests={
            host: digest
            for host, own in sources.items()
            if (digest := own.find_scenario_digest(scenario))
        },
        default_profile=profiles[0].slug,
        profiles=[ProfileOut.of(profile, parameters=profile.schema) for profile in profiles],
        frameworks=[
            item.slug
            for item in frameworks
            if manifest.slug in item.manifest["scenarios"]
            and manifest.reference == (item.manifest["mode"] == Mode.REFERENCE)
        ],
    )

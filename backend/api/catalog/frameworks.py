"""GET /frameworks, /frameworks/{slug}, /frameworks/{slug}/results."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.schemas import CellOut
from backend.api.schemas import Name, Page
from backend.api.views import summaries_of, verdict_out
from backend.core.bodies import Schema
from backend.core.catalog import repository
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.language_settings import describe_settings
from backend.core.catalog.manifest import Concurrency, FrameworkManifest, Mode
from backend.core.models import Framework
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.cell_result import CellResult
from backend.core.results.repository import list_newest_cells
from backend.core.results.results import list_results
from backend.core.units import Metric, Verdict, find_main_metric


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


router = NounRouter(
    prefix="/frameworks", tags=["frameworks"], dependencies=[needs(Permission.OPEN)]
)


@router.get("", response_model=Page[FrameworkOut], responses=problems(422) | NOT_MODIFIED)
async def list_frameworks(
    responder: ResponderDep,
    mode: Annotated[
        Mode | None,
        Query(description="Default: all frameworks except the reference services of calibration."),
    ] = None,
) -> Response:
    """Return the frameworks of the catalogue, by language and name."""
    return await responder.respond(_show_list, mode)


def _show_list(session: Session, _: Viewer, mode: Mode | None) -> Page[FrameworkOut]:
    sources = read_host_sources(session, repository.list_hosts(session))
    modes = repository.ORDINARY if mode is None else [mode]
    found = repository.list_frameworks(session, modes)
    return Page(items=[_out(item, sources) for item in found])


@router.get("/{slug}", response_model=FrameworkOut, responses=problems(404, 422) | NOT_MODIFIED)
async def get_framework(
    responder: ResponderDep, slug: Annotated[Name, Path(examples=["node"])]
) -> Response:
    """Return a framework."""
    return await responder.respond(_show_framework, slug)


def _show_framework(session: Session, _: Viewer, slug: str) -> FrameworkOut:
    sources = read_host_sources(session, repository.list_hosts(session))
    return _out(repository.get_framework(session, slug), sources)


@router.get(
    "/{slug}/results",
    response_model=Page[LatestResult],
    responses=problems(404, 422) | NOT_MODIFIED,
)
async def list_framework_results(
    responder: ResponderDep, slug: Annotated[Name, Path(examples=["node"])]
) -> Response:
    """Return the newest result of a framework for each scenario, profile and host.

    A sweep has several results.
    """
    return await responder.respond_in_turn(_show_results, slug)


def _show_results(session: Session, viewer: Viewer, slug: str) -> Page[LatestResult]:
    cell_ids = list_newest_cells(session, slug, viewer)
    if not cell_ids:
        # Raises NotFound for an unknown framework.
        repository.get_framework(session, slug)
    results = _read_results(session, cell_ids)
    # Runs may be deleted in the meantime.
    return Page(items=[results[cell_id] for cell_id in cell_ids if cell_id in results])


def _read_results(session: Session, cell_ids: Sequence[UUID]) -> dict[UUID, LatestResult]:
    return {
        result.summary.cell_id: LatestResult(
            run_slug=result.run.slug,
            host=result.host,
            at=result.summary.at,
            metric=find_main_metric(result.kind, result.estimates),
            cell=_cell_out(result),
        )
        for result in list_results(session, cell_ids)
    }


def _cell_out(result: CellResult) -> CellOut:
    cell = result.summary
    return CellOut.of(
        cell,
        id=cell.cell_id,
        framework=result.framework,
        scenario=result.scenario,
        verdicts=[
            verdict_out(Verdict(warning["verdict"]), warning["detail"], warning["trials"])
            for warning in cell.verdicts
        ],
        summary=summaries_of(result.estimates),
    )


def _topologies(manifest: FrameworkManifest) -> dict[str, TopologyOut]:
    return {
        slug: TopologyOut(
            peers=[peer.name for peer in scenario.peers],
            backing_services=list(scenario.backing_services),
        )
        for slug, scenario in manifest.scenarios.items()
        if scenario.peers or scenario.backing_services
    }


def _out(framework: Framework, sources: Mapping[str, HostSources]) -> FrameworkOut:
    """Return a framework with the hosts that have it.

    Args:
        sources: what each host has, by the name of the host.
    """
    manifest = framework.manifest
    parsed = FrameworkManifest.model_validate(manifest)
    shown = {
        *("slug", "name", "language", "description", "concurrency", "mode", "licence", "versions")
    }
    return FrameworkOut.model_validate(
        {key: value for key, value in manifest.items() if key in shown}
        | {
            # A framework that an older version of Tacho stored is not a further version.
            "version_of": manifest.get("version_of"),
            "website": manifest["links"]["website"],
            "source": manifest["links"]["source"],
            "scenarios": list(manifest["scenarios"]),
            "language_settings": describe_settings(parsed),
            "topologies": _topologies(parsed),
            "colour": framework.colour,
            "digest": framework.digest,
            "unavailable": {
                host: obstacle
                for host, own in sources.items()
                if (obstacle := own.find_framework_obstacle(framework))
            },
            "digests": {
                host: digest
                for host, own in sources.items()
                if (digest := own.find_framework_digest(framework))
            },
        }
    )

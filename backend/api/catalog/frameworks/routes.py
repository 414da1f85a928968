"""GET /frameworks, /frameworks/{slug}, /frameworks/{slug}/results."""

from collections.abc import Mapping, Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from sqlalchemy.orm import Session

from backend.api.catalog.frameworks.schemas import FrameworkOut, LatestResult, TopologyOut
from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.schemas import CellOut
from backend.api.schemas import Name, Page
from backend.api.views import summaries_of, verdict_out
from backend.core.catalog import repository
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.language_settings import describe_settings
from backend.core.catalog.manifest import FrameworkManifest, Mode
from backend.core.models import Framework
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.cell_result import CellResult
from backend.core.results.repository import list_newest_cells
from backend.core.results.results import list_results
from backend.core.units import Verdict, find_main_metric

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

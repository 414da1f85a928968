"""GET /frameworks, /frameworks/{slug}, /frameworks/{slug}/results."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.frameworks.schemas import FrameworkOut, LatestResult, TopologyOut
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.runs.views import cell_out
from backend.api.schemas import Name, Page
from backend.core.access.permissions import Permission
from backend.core.catalog import repository
from backend.core.catalog.host_sources import HostSources, read_host_sources
from backend.core.catalog.manifest import FrameworkManifest, Mode
from backend.core.measurements import repository as measurements
from backend.core.models import Framework
from backend.core.run_results.service import make_cell_result
from backend.core.runs import repository as runs
from backend.core.units import ProfileKind, find_main_metric

router = NounRouter(
    prefix="/frameworks", tags=["frameworks"], dependencies=[needs(Permission.OPEN)]
)


@router.get("", responses=problems(422))
def list_frameworks(
    session: SessionDep,
    mode: Annotated[
        Mode | None,
        Query(description="Default: all frameworks except the reference services of calibration."),
    ] = None,
) -> Page[FrameworkOut]:
    """Return the frameworks of the catalogue, by language and name."""
    sources = read_host_sources(session, repository.list_hosts(session))
    modes = repository.ORDINARY if mode is None else [mode]
    return Page(items=[_out(item, sources) for item in repository.list_frameworks(session, modes)])


@router.get("/{slug}", responses=problems(404, 422))
def get_framework(
    session: SessionDep, slug: Annotated[Name, Path(examples=["node"])]
) -> FrameworkOut:
    """Return a framework."""
    sources = read_host_sources(session, repository.list_hosts(session))
    return _out(repository.get_framework(session, slug), sources)


@router.get("/{slug}/results", responses=problems(404, 422))
def list_framework_results(
    session: SessionDep,
    viewer: ViewerDep,
    slug: Annotated[Name, Path(examples=["node"])],
) -> Page[LatestResult]:
    """Return the newest result of a framework for each scenario, profile and host.

    A sweep has several results.
    """
    repository.get_framework(session, slug)
    rows = runs.list_latest_cells(session, slug, viewer)
    trials = runs.list_succeeded(session, [cell.id for cell, _ in rows])
    metrics = measurements.list_metrics(session, [trial.id for trial in trials])
    results = [
        make_cell_result(
            cell,
            [trial for trial in trials if trial.cell_id == cell.id],
            metrics,
            has_enough_trials=run.has_reached_goal,
            repeats_disturbed=run.goal is not None,
        )
        for cell, run in rows
    ]
    return Page(
        items=[
            LatestResult(
                run_slug=run.slug,
                host=run.host.name,
                at=run.created_at,
                metric=find_main_metric(ProfileKind(result.cell.kind), result.summary.estimates),
                cell=cell_out(result),
            )
            for result, (_, run) in zip(results, rows, strict=True)
        ]
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
            "topologies": _topologies(FrameworkManifest.model_validate(manifest)),
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

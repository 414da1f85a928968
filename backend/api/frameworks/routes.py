"""GET /frameworks, /frameworks/{slug}."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query

from backend.api.deps import SessionDep
from backend.api.frameworks.schemas import FrameworkOut
from backend.api.schemas import Name, Page, problems
from backend.core.catalog import repository
from backend.core.catalog.manifest import Mode
from backend.core.models import Framework, Host

router = APIRouter(prefix="/frameworks", tags=["frameworks"])


@router.get("", responses=problems(422))
def list_frameworks(
    session: SessionDep,
    mode: Annotated[
        Mode | None, Query(description="Default: all but the reference services of calibration.")
    ] = None,
) -> Page[FrameworkOut]:
    """The catalogue's frameworks, by language and name."""
    hosts = repository.list_hosts(session)
    modes = repository.ORDINARY if mode is None else [mode]
    return Page(items=[_out(item, hosts) for item in repository.list_frameworks(session, modes)])


@router.get("/{slug}", responses=problems(404, 422))
def get_framework(
    session: SessionDep, slug: Annotated[Name, Path(examples=["node"])]
) -> FrameworkOut:
    """One framework."""
    return _out(repository.get_framework(session, slug), repository.list_hosts(session))


def _out(framework: Framework, hosts: Sequence[Host]) -> FrameworkOut:
    manifest = framework.manifest
    shown = ("slug", "name", "language", "description", "concurrency", "mode", "licence")
    return FrameworkOut.model_validate(
        {key: manifest[key] for key in shown}
        | {
            "versions": manifest["versions"],
            "website": manifest["links"]["website"],
            "source": manifest["links"]["source"],
            "scenarios": list(manifest["scenarios"]),
            "colour": framework.colour,
            "digest": framework.digest,
            "unavailable": {
                host.name: host.unavailable[framework.slug]
                for host in hosts
                if framework.slug in host.unavailable
            },
        }
    )

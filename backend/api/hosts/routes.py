"""GET /hosts, /hosts/{name}."""

from typing import Annotated

from fastapi import APIRouter, Path

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.hosts.schemas import HostOut
from backend.api.hosts.views import read_host
from backend.api.http.problems import problems
from backend.api.schemas import Name, Page
from backend.core.access.permissions import Permission
from backend.core.catalog import repository as catalog

router = APIRouter(prefix="/hosts", tags=["hosts"], dependencies=[needs(Permission.OPEN)])


@router.get("")
def list_hosts(session: SessionDep, viewer: ViewerDep) -> Page[HostOut]:
    """Return all bench hosts with their current work."""
    return Page(items=[read_host(session, host, viewer) for host in catalog.list_hosts(session)])


@router.get("/{name}", responses=problems(404, 422))
def get_host(
    session: SessionDep, viewer: ViewerDep, name: Annotated[Name, Path(examples=["bench-01"])]
) -> HostOut:
    """Return a bench host."""
    return read_host(session, catalog.get_host(session, name), viewer)

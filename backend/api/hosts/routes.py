"""GET /hosts, /hosts/{name}."""

from typing import Annotated

from fastapi import APIRouter, Path
from sqlalchemy.orm import Session

from backend.api.deps import SessionDep
from backend.api.hosts.schemas import HostOut
from backend.api.hosts.views import host_out
from backend.api.schemas import Name, Page, problems
from backend.core.calibration.service import find_calibration
from backend.core.catalog import repository as catalog
from backend.core.models import Host
from backend.core.runs import repository as runs

router = APIRouter(prefix="/hosts", tags=["hosts"])


@router.get("")
def list_hosts(session: SessionDep) -> Page[HostOut]:
    """All bench hosts with what they are doing."""
    return Page(items=[_out(session, host) for host in catalog.list_hosts(session)])


@router.get("/{name}", responses=problems(404, 422))
def get_host(session: SessionDep, name: Annotated[Name, Path(examples=["bench-01"])]) -> HostOut:
    """One bench host."""
    return _out(session, catalog.get_host(session, name))


def _out(session: Session, host: Host) -> HostOut:
    return host_out(
        host,
        catalog.list_online(session),
        runs.list_busy_hosts(session),
        runs.count_unfinished(session),
        find_calibration(session, host),
    )

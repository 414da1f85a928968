"""GET /hosts, /hosts/{name}."""

from typing import Annotated

from fastapi import APIRouter, Path
from sqlalchemy.orm import Session

from backend.api.deps import SessionDep, TrustedDep
from backend.api.hosts.schemas import HostOut
from backend.api.hosts.views import host_out, host_state
from backend.api.http.problems import problems
from backend.api.schemas import Name, Page
from backend.core.calibration.service import find_calibration
from backend.core.catalog import repository as catalog
from backend.core.models import Host
from backend.core.runs import repository as runs
from backend.core.runs.visibility import list_listed, list_readable

router = APIRouter(prefix="/hosts", tags=["hosts"])


@router.get("")
def list_hosts(session: SessionDep, trusted: TrustedDep) -> Page[HostOut]:
    """Return all bench hosts with their current work."""
    return Page(items=[_out(session, host, trusted) for host in catalog.list_hosts(session)])


@router.get("/{name}", responses=problems(404, 422))
def get_host(
    session: SessionDep, trusted: TrustedDep, name: Annotated[Name, Path(examples=["bench-01"])]
) -> HostOut:
    """Return a bench host."""
    return _out(session, catalog.get_host(session, name), trusted)


def _out(session: Session, host: Host, trusted: bool) -> HostOut:
    listed = list_listed(is_trusted=trusted)
    return host_out(
        host,
        host_state(host.name, catalog.list_online(session), runs.list_busy_hosts(session)),
        runs.list_current_runs(session, listed),
        runs.count_unfinished(session, listed),
        find_calibration(session, host, list_readable(is_trusted=trusted)),
        listed,
    )

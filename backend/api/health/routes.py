"""GET /health."""

from collections.abc import Container

from fastapi import APIRouter, Response
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError

from backend.api.health.schemas import Health, HostHealth, PartStatus
from backend.api.hosts.views import host_state
from backend.core.catalog import repository as catalog
from backend.core.db import unit_of_work
from backend.core.queue import get_redis
from backend.core.runs import repository as runs
from backend.version import VERSION

router = APIRouter(prefix="/health", tags=["health"])


@router.get("", responses={503: {"model": Health, "description": "A part is down"}})
def get_health(response: Response) -> Health:
    """Whether database, broker and bench hosts answer; 503 names the part that is down."""
    down = []
    hosts: list[HostHealth] = []
    try:
        with unit_of_work() as session:
            online = catalog.list_online(session)
            busy = runs.list_busy_hosts(session)
            hosts = [_host(host.name, online, busy) for host in catalog.list_hosts(session)]
    except SQLAlchemyError:
        down.append("database")
    try:
        get_redis().ping()
    except RedisError:
        down.append("broker")
    parts = dict.fromkeys(down, PartStatus.DOWN)
    if "database" not in down and not any(host.status == PartStatus.OK for host in hosts):
        down.append("bench host (no worker is online)")
    if down:
        response.status_code = 503
    return Health(
        status=PartStatus.DOWN if down else PartStatus.OK,
        database=parts.get("database", PartStatus.OK),
        broker=parts.get("broker", PartStatus.OK),
        hosts=hosts,
        version=VERSION,
        detail=f"Down: {', '.join(down)}." if down else None,
    )


def _host(name: str, online: Container[str], busy: Container[str]) -> HostHealth:
    status = PartStatus.OK if name in online else PartStatus.DOWN
    return HostHealth(name=name, status=status, state=host_state(name, online, busy))

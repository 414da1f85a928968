"""GET /health: each part is read by one thread at most, and callers share a result for a second."""

import asyncio
from collections.abc import Awaitable, Callable, Container
from functools import lru_cache
from typing import Annotated, NamedTuple, TypeVar

from fastapi import Depends, Response
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.api.deps import MaybeCallerDep, needs
from backend.api.health.schemas import Health, HostHealth, PartHealth, PartStatus
from backend.api.health.shared import SharedReading
from backend.api.hosts.views import host_state
from backend.api.http.router import NounRouter
from backend.core.access.permissions import Permission
from backend.core.catalog import repository as catalog
from backend.core.config import get_settings
from backend.core.db import make_single_engine
from backend.core.models import Host
from backend.core.queue import open_redis
from backend.core.runs import repository as runs
from backend.core.runs.database_disk import find_shortage
from backend.core.statistics.version import STATISTICS_VERSION
from backend.platform.layout import Layout
from backend.platform.part_states import read_part_states
from backend.version import VERSION

T = TypeVar("T")

router = NounRouter(prefix="/health", tags=["health"], dependencies=[needs(Permission.OPEN)])

# Less than the 4 s that a container's health check waits for the answer.
_LIMIT_SECONDS = 3.0
_KEEP_SECONDS = 1.0


class Readings(NamedTuple):
    """The readings of the parts. At most one thread reads each part."""

    hosts: SharedReading[list[HostHealth]]
    broker: SharedReading[bool]


@lru_cache
def get_readings() -> Readings:
    """This process's readings, shared by all requests."""
    limits = {"limit_s": _LIMIT_SECONDS, "keep_s": _KEEP_SECONDS}
    return Readings(SharedReading(_read_hosts, **limits), SharedReading(_ping_broker, **limits))


@router.get("", responses={503: {"model": Health, "description": "A part is down"}})
async def get_health(
    response: Response,
    readings: Annotated[Readings, Depends(get_readings)],
    caller: MaybeCallerDep,
) -> Health:
    """Return whether database, broker and bench hosts respond. A response of 503 names the part
    that is down.

    Also lists the parts that `tacho up` supervises, and why a part keeps stopping.
    """
    reading = asyncio.create_task(_find(readings.hosts.get))
    broker = await _find(readings.broker.get)
    hosts = await reading
    down = []
    if hosts is None:
        down.append("database")
    if broker is None:
        down.append("broker")
    parts = dict.fromkeys(down, PartStatus.DOWN)
    if hosts is not None and not any(host.status == PartStatus.OK for host in hosts):
        down.append("bench host (no worker is online)")
    if down:
        response.status_code = 503
    return Health(
        status=PartStatus.DOWN if down else PartStatus.OK,
        database=parts.get("database", PartStatus.OK),
        broker=parts.get("broker", PartStatus.OK),
        hosts=hosts or [],
        parts=_list_parts(with_log=caller is not None and caller.rights.allow(Permission.OPERATE)),
        database_disk_shortage=find_shortage(get_settings()) or None,
        version=VERSION,
        statistics_version=STATISTICS_VERSION,
        detail=f"Down: {', '.join(down)}." if down else None,
    )


def _list_parts(*, with_log: bool) -> list[PartHealth]:
    states = read_part_states(Layout(get_settings().data).part_states)
    return [
        PartHealth(
            name=state.name,
            status=PartStatus.OK if state.is_well else PartStatus.DOWN,
            restarts=state.restarts,
            reason=state.reason,
            failed_at=state.failed_at,
            next_try_at=state.next_try_at,
            last_lines=state.last_lines if with_log else [],
        )
        for state in states
    ]


async def _find(read: Callable[[], Awaitable[T]]) -> T | None:
    """Return what the part reports, or None if it does not answer in time."""
    try:
        return await read()
    except (SQLAlchemyError, RedisError, TimeoutError):
        return None


def _read_hosts() -> list[HostHealth]:
    """On a connection of its own: requests that use up the pool do not make the database down."""
    with Session(make_single_engine(get_settings().database_url)) as session:
        online = catalog.list_online(session)
        busy = runs.list_busy_hosts(session)
        return [_host(host, online, busy) for host in catalog.list_hosts(session)]


def _ping_broker() -> bool:
    with open_redis(get_settings().redis_url) as client:
        return bool(client.ping())


def _host(host: Host, online: Container[str], busy: Container[str]) -> HostHealth:
    status = PartStatus.OK if host.name in online else PartStatus.DOWN
    return HostHealth(
        name=host.name,
        status=status,
        state=host_state(host, online, busy),
        disk_shortage=host.disk_shortage or None,
    )

"""GET /health: each part is read by one thread at most, and callers share a result for a second."""

import asyncio
from typing import Annotated

from fastapi import Depends, Response

from backend.api.deps import MaybeCallerDep, needs
from backend.api.http.router import NounRouter
from backend.api.operations.health.readings import (
    DatabaseReading,
    Readings,
    find_reading,
    get_readings,
)
from backend.api.operations.health.schemas import BackupHealth, Health, PartStatus
from backend.api.operations.health.views import find_load_generator, list_parts
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.people.access.permissions import Permission
from backend.version import VERSION

router = NounRouter(prefix="/health", tags=["health"], dependencies=[needs(Permission.OPEN)])


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
    listing, pinging = find_reading(readings.database), find_reading(readings.broker)
    measuring = find_reading(readings.database_disk)
    found, broker, shortage = await asyncio.gather(listing, pinging, measuring)
    down = []
    if found is None:
        down.append("database")
    if broker is None:
        down.append("broker")
    parts = dict.fromkeys(down, PartStatus.DOWN)
    hosts, backup, schema_problem = found or DatabaseReading([], None, None)
    if schema_problem is not None:
        down.append("API (the schema of the database is of another version)")
    elif found is not None and not any(host.status == PartStatus.OK for host in hosts):
        down.append("bench host (no worker is online)")
    if down:
        response.status_code = 503
    is_operator = caller is not None and caller.rights.allow(Permission.OPERATE)
    return Health(
        status=PartStatus.DOWN if down else PartStatus.OK,
        database=parts.get("database", PartStatus.OK),
        broker=parts.get("broker", PartStatus.OK),
        hosts=hosts,
        parts=list_parts(with_log=is_operator),
        load_generator=find_load_generator(),
        database_disk_shortage=shortage or None,
        backup=None
        if backup is None
        else BackupHealth.of(backup, error=backup.error if is_operator else None),
        version=VERSION,
        statistics_version=STATISTICS_VERSION,
        schema_problem=schema_problem,
        detail=f"Down: {', '.join(down)}." if down else None,
    )

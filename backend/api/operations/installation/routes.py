"""GET /installation: the state of the installation, and what an operator should do."""

import asyncio
from typing import Annotated

from fastapi import Depends
from fastapi.concurrency import run_in_threadpool

from backend.api.deps import SettingsDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.health.readings import Readings, find_reading, get_readings
from backend.api.operations.health.views import list_parts
from backend.api.operations.installation.schemas import InstallationOut
from backend.api.operations.installation.views import describe_installation
from backend.core.operations.monitoring.disks import list_api_disks
from backend.core.people.access.permissions import Permission

router = NounRouter(
    prefix="/installation", tags=["health"], dependencies=[needs(Permission.OPERATE)]
)


@router.get("", responses=problems(401, 403, 429, 503))
async def get_installation(
    settings: SettingsDep, readings: Annotated[Readings, Depends(get_readings)]
) -> InstallationOut:
    """Return versions, queues, hosts, disks and recent faults, and what to do about each.

    While the database does not answer, queues, hosts and faults are missing.
    """
    observing, pinging = find_reading(readings.operator), find_reading(readings.broker)
    asking = find_reading(readings.broker_version)
    reading, pong, redis_version = await asyncio.gather(observing, pinging, asking)
    disks = await run_in_threadpool(lambda: [disk.read() for disk in list_api_disks(settings)])
    return describe_installation(
        reading,
        disks,
        list_parts(with_log=True),
        is_broker_up=pong is not None,
        redis_version=redis_version,
    )

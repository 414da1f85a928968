"""GET /metrics: the state of this API process and of the installation, for Prometheus."""

import asyncio
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool

from backend.api.deps import ResourcesDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.health.readings import Readings, find_reading, get_readings
from backend.api.operations.monitoring.views import (
    ApiCollector,
    InstallationCollector,
    PartCollector,
)
from backend.core.config import get_settings
from backend.core.operations.monitoring.disks import list_api_disks
from backend.core.people.access.permissions import Permission
from backend.platform.layout import Layout
from backend.platform.logs.monitoring import DiskCollector, render_metrics
from backend.platform.processes.part_states import read_part_states

router = NounRouter(prefix="/metrics", tags=["health"], dependencies=[needs(Permission.MONITOR)])

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Metrics in the text format of Prometheus, or in that of OpenMetrics.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@router.get("", response_class=Response, responses=problems(401, 403, 429, 503) | _ANSWERS)
async def scrape_metrics(
    request: Request,
    resources: ResourcesDep,
    readings: Annotated[Readings, Depends(get_readings)],
) -> Response:
    """Return metrics of this API process and of the installation for Prometheus.

    They contain names of bench hosts, but no names of runs, workspaces or people. While the
    database does not answer, those of the installation are missing, and `tacho_component_up` is 0.
    """
    observing, pinging = find_reading(readings.installation), find_reading(readings.broker)
    reading, pong = await asyncio.gather(observing, pinging)
    settings = get_settings()
    layout = Layout(settings.data)
    collectors = [
        InstallationCollector(reading, is_broker_up=pong is not None),
        ApiCollector(resources),
        PartCollector(read_part_states(layout.part_states)),
        DiskCollector(list_api_disks(settings)),
    ]
    content, media_type = await run_in_threadpool(
        render_metrics, request.headers.get("accept", ""), collectors
    )
    return Response(content, media_type=media_type)

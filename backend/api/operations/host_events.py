"""GET /host-events."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import AliasPath, Field

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Page
from backend.core.bodies import Schema
from backend.core.changes import listing
from backend.core.people.access.permissions import Permission
from backend.core.units import METRICS, Direction, Metric


class HostEventOut(Schema):
    """A shift of at least two thirds of the series of a run in the same direction.

    The cause is the host, not the services.
    """

    id: UUID
    host: str = Field(validation_alias=AliasPath("host", "name"))
    run_slug: str = Field(description="The run whose results shifted.")
    metric: Metric
    direction: Direction
    at: datetime = Field(description="Creation time of the first run at the new levels.")
    ratio: float = Field(description="Geometric mean of the shifts of all series.", examples=[1.12])
    series_shifted: int
    series_total: int


router = NounRouter(prefix="/host-events", tags=["changes"], dependencies=[needs(Permission.OPEN)])


@router.get("", responses=problems(422))
def list_host_events(
    session: SessionDep,
    viewer: ViewerDep,
    limit: Annotated[int, Query(ge=1, le=100, description="Number of newest events.")] = 20,
) -> Page[HostEventOut]:
    """Return when a whole host became slower or faster, newest first."""
    events = listing.list_host_events(session, viewer, limit)
    return Page(
        items=[
            HostEventOut.of(event, run_slug=run_slug, direction=METRICS[event.metric].direction)
            for event, run_slug in events
        ]
    )

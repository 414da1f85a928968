"""GET /host-events."""

from typing import Annotated

from fastapi import Query

from backend.api.deps import SessionDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.host_events.schemas import HostEventOut
from backend.api.schemas import Page
from backend.core.changes import listing
from backend.core.people.access.permissions import Permission
from backend.core.units import METRICS

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
            HostEventOut(
                id=event.id,
                host=event.host.name,
                run_slug=run_slug,
                metric=event.metric,
                direction=METRICS[event.metric].direction,
                at=event.at,
                ratio=event.ratio,
                series_shifted=event.series_shifted,
                series_total=event.series_total,
            )
            for event, run_slug in events
        ]
    )

"""/incidents: changes with the same build, and decisions about them together."""

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from sqlalchemy.orm import Session

from backend.api.changes.incidents.schemas import (
    IncidentCounts,
    IncidentItem,
    IncidentOut,
    IncidentPatch,
    OpenCount,
)
from backend.api.changes.incidents.views import read_incident, read_incident_items
from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import decode_cursor, make_page
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import Name, Page
from backend.core.changes.decisions import decide_incident
from backend.core.changes.incidents import listing
from backend.core.changes.pages import IncidentFilter, list_newest_incidents
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.statuses import ChangeStatus

router = NounRouter(tags=["changes"])

IncidentId = Annotated[UUID, Path(examples=["01a1fee4-d5b3-77f1-a207-ce986863506b"])]


@router.get(
    "/incidents",
    response_model=Page[IncidentItem],
    responses=problems(422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def list_incidents(
    responder: ResponderDep,
    status: ChangeStatus | None = None,
    is_open: Annotated[
        bool | None, Query(alias="open", description="Only open incidents, or only others.")
    ] = None,
    framework: Annotated[Name | None, Query(examples=["node"])] = None,
    host: Annotated[Name | None, Query(description="Only incidents on this bench host.")] = None,
    cursor: Annotated[
        str | None, Query(description="The value of `next` in an earlier page.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """Return incidents, newest first. Anonymous visitors see only changes between public runs."""
    wanted = IncidentFilter(
        limit=limit,
        status=status,
        is_open=is_open,
        framework=framework,
        host=host,
        before=decode_cursor(cursor) if cursor else None,
    )
    return await responder.respond(_show_list, wanted)


def _show_list(session: Session, viewer: Viewer, wanted: IncidentFilter) -> Page[IncidentItem]:
    rows = list_newest_incidents(session, wanted, viewer)
    items = read_incident_items(session, [row.id for row in rows[: wanted.limit]], viewer)
    return make_page(rows, items, wanted.limit)


@router.get("/incident-counts", dependencies=[needs(Permission.OPEN)])
def count_incidents(session: SessionDep, viewer: ViewerDep) -> IncidentCounts:
    """Return the number of incidents per status, and of those that are open."""
    counts = listing.count_incidents(session, viewer)
    by_status = {status.value: counts.by_status[status] for status in ChangeStatus}
    return IncidentCounts(open=counts.open, **by_status)


@router.get("/open-incidents", dependencies=[needs(Permission.OPEN)])
def count_open_incidents(session: SessionDep, viewer: ViewerDep) -> OpenCount:
    """Return the number of open incidents."""
    return OpenCount(open=listing.count_open(session, viewer))


@router.get(
    "/incidents/{incident_id}",
    response_model=IncidentOut,
    responses=problems(404, 422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def get_incident(responder: ResponderDep, incident_id: IncidentId) -> Response:
    """Return an incident with all its changes, and the differences between the builds."""
    return await responder.respond(_show_incident, incident_id)


def _show_incident(session: Session, viewer: Viewer, incident_id: UUID) -> IncidentOut:
    return read_incident(session, incident_id, viewer)


@router.patch(
    "/incidents/{incident_id}",
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 409, 413, 422),
)
def decide_incident_changes(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    incident_id: IncidentId,
    body: IncidentPatch,
) -> IncidentOut:
    """Confirm, dismiss, reopen, acknowledge or test all changes of an incident."""
    row = listing.get_incident(session, incident_id, viewer)
    decide_incident(
        session,
        workspace_id,
        incident_id,
        {change.change.id for change in row.changes},
        body.status,
        body.note,
        body.pairs,
        is_acknowledged=body.acknowledged,
    )
    session.expire_all()
    return read_incident(session, incident_id, viewer)

"""/incidents: changes with the same build, and decisions about them together."""

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query

from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.incidents.schemas import (
    IncidentCounts,
    IncidentItem,
    IncidentOut,
    IncidentPatch,
    OpenCount,
)
from backend.api.incidents.views import incident_list, incident_out
from backend.api.paging import decode_cursor, encode_cursor
from backend.api.schemas import Name, Page
from backend.core.access.permissions import Permission
from backend.core.changes.decisions import decide_incident
from backend.core.changes.incidents import listing
from backend.core.changes.incidents.listing import IncidentFilter
from backend.core.statuses import ChangeStatus

router = NounRouter(tags=["changes"])

IncidentId = Annotated[UUID, Path(examples=["01a1fee4-d5b3-77f1-a207-ce986863506b"])]


@router.get("/incidents", responses=problems(422), dependencies=[needs(Permission.OPEN)])
def list_incidents(
    session: SessionDep,
    viewer: ViewerDep,
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
) -> Page[IncidentItem]:
    """Return incidents, newest first. Anonymous visitors see only changes between public runs."""
    rows = listing.list_incidents(
        session,
        IncidentFilter(status, is_open, framework, host),
        viewer=viewer,
        before=decode_cursor(cursor) if cursor else None,
        limit=limit + 1,
    )
    page = rows[:limit]
    last = page[-1].incident if len(rows) > limit else None
    return Page(
        items=incident_list(session, page),
        next=encode_cursor(last.at, last.id) if last else None,
    )


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
    "/incidents/{incident_id}", responses=problems(404, 422), dependencies=[needs(Permission.OPEN)]
)
def get_incident(session: SessionDep, viewer: ViewerDep, incident_id: IncidentId) -> IncidentOut:
    """Return an incident with all its changes, and the differences between the builds."""
    row = listing.get_incident(session, incident_id, viewer)
    return incident_out(session, row, viewer)


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
    row = listing.get_incident(session, incident_id, viewer)
    return incident_out(session, row, viewer)

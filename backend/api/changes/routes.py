"""/changes, /change-counts: level shifts of series, and decisions about them."""

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from sqlalchemy.orm import Session

from backend.api.changes.schemas import ChangeCounts, ChangeOut, ChangePatch
from backend.api.changes.views import change_list, read_change
from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import Cursor, PageSize, decode_cursor, make_page
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.schemas import Name, Page
from backend.core.changes import listing, repository
from backend.core.changes.decisions import decide
from backend.core.changes.listing import ChangeFilter
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric

router = NounRouter(tags=["changes"])

ChangeId = Annotated[UUID, Path(examples=["01a1fee4-d5b3-77f1-a207-ce986863506b"])]


@router.get(
    "/changes",
    response_model=Page[ChangeOut],
    responses=problems(422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def list_changes(
    responder: ResponderDep,
    status: ChangeStatus | None = None,
    framework: Annotated[Name | None, Query(examples=["node"])] = None,
    scenario: Annotated[Name | None, Query(examples=["hello"])] = None,
    metric: Annotated[Metric | None, Query(description="A metric of GET /metrics.")] = None,
    host: Annotated[Name | None, Query(description="Only changes on this bench host.")] = None,
    cursor: Cursor = None,
    limit: PageSize = 20,
) -> Response:
    """Return changes, newest first. Anonymous visitors see only changes between public runs."""
    wanted = ChangeFilter(
        limit=limit,
        status=status,
        framework=framework,
        scenario=scenario,
        metric=metric,
        host=host,
        before=decode_cursor(cursor) if cursor else None,
    )
    return await responder.respond(_show_list, wanted)


def _show_list(session: Session, viewer: Viewer, wanted: ChangeFilter) -> Page[ChangeOut]:
    rows = listing.list_newest_changes(session, wanted, viewer)
    found = listing.list_changes(session, [row.id for row in rows[: wanted.limit]], viewer)
    items = {item.id: item for item in change_list(session, found, viewer)}
    return make_page(rows, items, wanted.limit)


@router.get("/change-counts", dependencies=[needs(Permission.OPEN)])
def count_changes(session: SessionDep, viewer: ViewerDep) -> ChangeCounts:
    """Return the number of changes per status."""
    counts = listing.count_changes(session, viewer)
    return ChangeCounts(**{status.value: counts.get(status, 0) for status in ChangeStatus})


@router.get(
    "/changes/{change_id}",
    response_model=ChangeOut,
    responses=problems(404, 422) | NOT_MODIFIED,
    dependencies=[needs(Permission.OPEN)],
)
async def get_change(responder: ResponderDep, change_id: ChangeId) -> Response:
    """Return a change."""
    return await responder.respond(read_change, change_id)


@router.patch(
    "/changes/{change_id}",
    dependencies=[needs(Permission.RUN)],
    responses=problems(401, 404, 409, 413, 422),
)
def decide_change(
    session: SessionDep,
    viewer: ViewerDep,
    workspace_id: WorkspaceDep,
    change_id: ChangeId,
    body: ChangePatch,
) -> ChangeOut:
    """Confirm, dismiss, reopen, acknowledge or test a change again, and note the reason.

    `PATCH /incidents/{id}` decides about all changes with the same build at once.
    """
    decide(
        session,
        repository.lock_change(session, workspace_id, change_id),
        body.status,
        body.note,
        body.pairs,
        is_acknowledged=body.acknowledged,
    )
    session.expire_all()
    return read_change(session, viewer, change_id)

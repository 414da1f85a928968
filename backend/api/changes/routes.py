"""/changes, /change-counts: level shifts of series, and decisions about them."""

from typing import Annotated
from uuid import UUID

from fastapi import Path, Query

from backend.api.changes.schemas import ChangeCounts, ChangeOut, ChangePatch
from backend.api.changes.views import change_list
from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import decode_cursor, encode_cursor
from backend.api.schemas import Name, Page
from backend.core.access.permissions import Permission
from backend.core.changes import listing, repository
from backend.core.changes.decisions import decide
from backend.core.changes.listing import ChangeFilter
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric

router = NounRouter(tags=["changes"])

ChangeId = Annotated[UUID, Path(examples=["01a1fee4-d5b3-77f1-a207-ce986863506b"])]


@router.get("/changes", responses=problems(422), dependencies=[needs(Permission.OPEN)])
def list_changes(
    session: SessionDep,
    viewer: ViewerDep,
    status: ChangeStatus | None = None,
    framework: Annotated[Name | None, Query(examples=["node"])] = None,
    scenario: Annotated[Name | None, Query(examples=["hello"])] = None,
    metric: Annotated[Metric | None, Query(description="A metric of GET /metrics.")] = None,
    host: Annotated[Name | None, Query(description="Only changes on this bench host.")] = None,
    cursor: Annotated[
        str | None, Query(description="The value of `next` in an earlier page.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Page[ChangeOut]:
    """Return changes, newest first. Anonymous visitors see only changes between public runs."""
    rows = listing.list_changes(
        session,
        ChangeFilter(status, framework, scenario, metric, host),
        viewer=viewer,
        before=decode_cursor(cursor) if cursor else None,
        limit=limit + 1,
    )
    page = rows[:limit]
    last = page[-1].change if len(rows) > limit else None
    return Page(
        items=change_list(session, page, viewer),
        next=encode_cursor(last.at, last.id) if last else None,
    )


@router.get("/change-counts", dependencies=[needs(Permission.OPEN)])
def count_changes(session: SessionDep, viewer: ViewerDep) -> ChangeCounts:
    """Return the number of changes per status."""
    counts = listing.count_changes(session, viewer)
    return ChangeCounts(**{status.value: counts.get(status, 0) for status in ChangeStatus})


@router.get(
    "/changes/{change_id}", responses=problems(404, 422), dependencies=[needs(Permission.OPEN)]
)
def get_change(session: SessionDep, viewer: ViewerDep, change_id: ChangeId) -> ChangeOut:
    """Return a change."""
    return change_list(session, [listing.get_change(session, change_id, viewer)], viewer)[0]


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
    return change_list(session, [listing.get_change(session, change_id, viewer)], viewer)[0]

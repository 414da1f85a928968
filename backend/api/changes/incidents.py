"""/incidents: changes with the same build, and decisions about them together."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from pydantic import AliasPath, Field
from sqlalchemy.orm import Session

from backend.api.changes.schemas import ChangeOut, ChangePatch, ShiftOut
from backend.api.changes.views import change_list, shift_out
from backend.api.deps import SessionDep, ViewerDep, WorkspaceDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import Cursor, PageSize, decode_cursor, make_page
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.runs.schemas import RunListItem
from backend.api.runs.views import run_list
from backend.api.schemas import FrameworkRef, Name, Page
from backend.core.bodies import Schema
from backend.core.changes.decisions import decide_incident
from backend.core.changes.incidents import listing
from backend.core.changes.incidents.build_differences import (
    FileChange,
    ProgramDifference,
    compare_programs,
)
from backend.core.changes.incidents.listing import IncidentFilter, IncidentRow
from backend.core.changes.incidents.sentences import describe_incident, describe_next_step
from backend.core.changes.size import is_regression
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository as results
from backend.core.results.environment import OF_CELL, differences
from backend.core.runs.listing import list_named
from backend.core.statuses import ChangeStatus, IncidentKind


class IncidentItem(Schema):
    """An incident in a list."""

    id: UUID
    kind: IncidentKind = Field(
        description="`service`: series of one framework shifted. `host`: most series of the host."
    )
    status: ChangeStatus = Field(
        description="The first of testing, suspected, confirmed, host_drift and dismissed that one "
        "of its changes has."
    )
    is_open: bool = Field(
        description="Whether one of its changes is undecided, or confirmed and not acknowledged."
    )
    headline: str = Field(
        examples=["Latency p99 of Node.js on Hello is 1.08× [1.05, 1.11] of the earlier level"]
    )
    framework: FrameworkRef | None = Field(description="Null for a shift of the host.")
    host: str
    at: datetime = Field(description="Creation time of the first run at a new level.")
    found_at: datetime
    note: str | None
    lead: ShiftOut = Field(description="The largest change.")
    changes_total: int
    changes_worse: int = Field(description="Number of changes whose new level is worse.")
    changes_better: int


class ChangedValueOut(Schema):
    """A value that differs before and after."""

    subject: str = Field(examples=["framework"])
    before: str = Field(validation_alias=AliasPath("one"), examples=["5.1.0"])
    after: str = Field(validation_alias=AliasPath("other"), examples=["5.2.0"])


class FileDifferenceOut(Schema):
    path: str
    change: FileChange
    diff: str | None = Field(
        description="Unified diff. Null if the text is not stored, or if the caller may not make "
        "changes."
    )
    is_cut: bool = Field(description="Whether `diff` is only the beginning of the difference.")


class ProgramDifferenceOut(Schema):
    """A program whose build differs before and after."""

    program: str = Field(examples=["node"])
    before: str = Field(description="Content digest of the build before.")
    after: str
    is_recorded: bool = Field(
        description="Whether the sources of both builds are recorded. If not, only the digests are "
        "known."
    )
    versions: list[ChangedValueOut]
    files: list[FileDifferenceOut]


class IncidentOut(IncidentItem):
    """An incident with its changes, its confirmation runs and the differences of its builds."""

    next_step: str = Field(description="The next step, as a sentence.")
    shown: ChangeOut = Field(description="The first of the changes, with the points of its series.")
    changes: list[ShiftOut] = Field(
        description="Changes with the status of the incident first, each the largest first."
    )
    confirmation_runs: list[RunListItem] = Field(description="The newest first.")
    programs: list[ProgramDifferenceOut] = Field(
        description="Programs whose build differs. Empty if the builds are equal or unknown."
    )
    commit_before: str | None = Field(
        description="Git commit of Tacho and its services before the change, if it is known."
    )
    commit_after: str | None
    environment: list[ChangedValueOut] = Field(
        description="Differences of the environments of the trials before and after."
    )


class IncidentPatch(ChangePatch):
    """A decision about an incident. Fields that are left out do not change.

    A status applies to its undecided changes, or to all changes if none is undecided. The note is
    that of the incident.
    """


class IncidentCounts(Schema):
    """Number of incidents by status, and of those that are open."""

    open: int
    suspected: int
    testing: int
    confirmed: int
    dismissed: int
    host_drift: int


class OpenCount(Schema):
    """Number of open incidents."""

    open: int


# The chart of an incident is large.
_POINTS_A_SIDE = 60


def read_incident_items(
    session: Session, incident_ids: Sequence[UUID], viewer: Viewer
) -> dict[UUID, IncidentItem]:
    """Return incidents as in a list, by id.

    Incidents without a change that the viewer sees are left out.
    """
    found = listing.list_incidents(session, incident_ids, viewer)
    return {key: _item_out(row) for key, row in found.items()}


def read_incident(session: Session, viewer: Viewer, incident_id: UUID) -> IncidentOut:
    """Return a whole incident; raise NotFound if the viewer sees none with this id.

    Args:
        viewer: only members of a workspace may read source code.
    """
    row = listing.get_incident(session, incident_id, viewer)
    lead = row.changes[0]
    programs = compare_programs(session, row.incident.host_id, row.incident.builds)
    (shown,) = change_list(session, [lead], viewer, points_a_side=_POINTS_A_SIDE)
    changes = [change.change for change in row.changes]
    files = {item.program: len(item.files) for item in programs if item.is_recorded}
    return IncidentOut.of(
        _item_out(row),
        next_step=describe_next_step(row.incident, changes, files),
        shown=shown,
        changes=[shift_out(change) for change in row.changes],
        confirmation_runs=_list_confirmation_runs(session, row, viewer),
        programs=[_program_out(item, with_source=viewer.is_member) for item in programs],
        **_compare_environments(session, row),
    )


def _item_out(row: IncidentRow) -> IncidentItem:
    incident = row.incident
    changes = [change.change for change in row.changes]
    worse = sum(is_regression(change) for change in changes)
    lead = shift_out(row.changes[0])
    return IncidentItem.of(
        incident,
        status=row.status,
        is_open=row.is_open,
        headline=describe_incident(
            incident, changes, lead.framework.name, lead.scenario.name, lead.host
        ),
        framework=lead.framework if incident.kind is IncidentKind.SERVICE else None,
        host=lead.host,
        lead=lead,
        changes_total=len(changes),
        changes_worse=worse,
        changes_better=len(changes) - worse,
    )


def _list_confirmation_runs(
    session: Session, row: IncidentRow, viewer: Viewer
) -> list[RunListItem]:
    slugs = {
        change.confirmation_run
        for change in row.changes
        if change.confirmation_run is not None and change.is_confirmation_listed
    }
    if not slugs:
        return []
    found = list_named(session, slugs, viewer)
    return run_list(session, found, viewer)


def _compare_environments(session: Session, row: IncidentRow) -> dict[str, object]:
    """Return the fields about the environments before and after the largest change."""
    lead = row.changes[0]
    cells = lead.before.cell_id, lead.after.cell_id
    environments = results.list_environments(session, cells)
    before, after = (environments.get(cell, {}) for cell in cells)
    return {
        "commit_before": before.get("commit"),
        "commit_after": after.get("commit"),
        "environment": differences(before, after, OF_CELL),
    }


def _program_out(found: ProgramDifference, *, with_source: bool) -> ProgramDifferenceOut:
    shown = ProgramDifferenceOut.of(found)
    for file in shown.files if not with_source else ():
        file.diff = None
    return shown


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
    cursor: Cursor = None,
    limit: PageSize = 20,
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
    rows = listing.list_newest_incidents(session, wanted, viewer)
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
    return await responder.respond(read_incident, incident_id)


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
    return read_incident(session, viewer, incident_id)

"""/audit: who changed what, when and from where."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Query, Response
from sqlalchemy.orm import Session

from backend.api.deps import (
    Exporting,
    ResourcesDep,
    Sender,
    SenderDep,
    SessionDep,
    WorkspaceDep,
    needs,
)
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import decode_cursor, encode_cursor
from backend.api.people.audit import export
from backend.api.people.audit.schemas import AuditEventOut, AuditExport
from backend.api.process.resources import AppResources
from backend.api.runs.streaming import Check, ExportStream
from backend.api.schemas import Name, Page, Time
from backend.core.people.access.permissions import Permission
from backend.core.people.audit import repository
from backend.core.people.audit.repository import AuditFilter

router = NounRouter(tags=["audit"])

_OWN, _OPERATE = needs(Permission.OWN), needs(Permission.OPERATE)

_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "model": AuditExport,
        "content": {"text/csv": {"schema": {"type": "string"}, "example": export.CSV_EXAMPLE}},
    }
}


def choose_entries(
    action: Annotated[Name | None, Query(examples=["run.created"])] = None,
    actor: Annotated[Name | None, Query(description="A part of the actor, in any case.")] = None,
    subject: Annotated[
        Name | None, Query(description="A type of subjects, or the id of one.", examples=["run"])
    ] = None,
    since: Time | None = None,
    until: Annotated[Time | None, Query(description="Only entries before this time.")] = None,
) -> AuditFilter:
    """Return the filter of a request, without a workspace."""
    return AuditFilter(
        workspace_id=None,
        action=action,
        actor=actor,
        subject=subject,
        since=since,
        until=until,
    )


def choose_own_entries(
    workspace_id: WorkspaceDep, wanted: Annotated[AuditFilter, Depends(choose_entries)]
) -> AuditFilter:
    """Return the filter of a request for the entries of its workspace."""
    return replace(wanted, workspace_id=workspace_id)


InstallationFilterDep = Annotated[AuditFilter, Depends(choose_entries)]
OwnFilterDep = Annotated[AuditFilter, Depends(choose_own_entries)]
Cursor = Annotated[str | None, Query(description="The value of `next` in an earlier page.")]
Limit = Annotated[int, Query(ge=1, le=200)]


@router.get("/audit", dependencies=[_OWN], responses=problems(401, 403, 422))
def list_audit_events(
    session: SessionDep, wanted: OwnFilterDep, cursor: Cursor = None, limit: Limit = 50
) -> Page[AuditEventOut]:
    """Return entries of the audit log of the workspace, newest first."""
    return _list(session, wanted, cursor, limit)


@router.get("/installation-audit", dependencies=[_OPERATE], responses=problems(401, 403, 422))
def list_installation_events(
    session: SessionDep, wanted: InstallationFilterDep, cursor: Cursor = None, limit: Limit = 50
) -> Page[AuditEventOut]:
    """Return entries about the installation and about deleted workspaces, newest first."""
    return _list(session, wanted, cursor, limit)


@router.get(
    "/audit.{suffix}",
    response_class=Response,
    dependencies=[_OWN, Exporting],
    responses=problems(401, 403, 422) | _EXPORTED,
)
def export_audit_events(
    resources: ResourcesDep, sender: SenderDep, wanted: OwnFilterDep, suffix: export.AuditSuffix
) -> Response:
    """Return the newest 100,000 of the chosen entries of the workspace as a file."""
    return _export(resources, wanted, suffix, partial(_check, sender, Permission.OWN))


@router.get(
    "/installation-audit.{suffix}",
    response_class=Response,
    dependencies=[_OPERATE, Exporting],
    responses=problems(401, 403, 422) | _EXPORTED,
)
def export_installation_events(
    resources: ResourcesDep,
    sender: SenderDep,
    wanted: InstallationFilterDep,
    suffix: export.AuditSuffix,
) -> Response:
    """Return the newest 100,000 of the chosen entries about the installation as a file."""
    return _export(resources, wanted, suffix, partial(_check, sender, Permission.OPERATE))


def _list(
    session: Session, wanted: AuditFilter, cursor: str | None, limit: int
) -> Page[AuditEventOut]:
    before = decode_cursor(cursor) if cursor else None
    found = repository.list_events(session, wanted, before, limit + 1)
    page = found[:limit]
    return Page(
        items=[AuditEventOut.of(event) for event in page],
        next=encode_cursor(page[-1].at, page[-1].id) if len(found) > limit else None,
    )


async def _check(sender: Sender, permission: Permission) -> None:
    """Raise an error if the sender of a request does not have a permission any more."""
    caller = await sender.identify(is_patient=True)
    caller.require(permission)


def _export(
    resources: AppResources, wanted: AuditFilter, suffix: export.AuditSuffix, check: Check
) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="tacho-audit.{suffix.value}"'}
    return ExportStream(
        resources, export.list_parts(wanted, suffix), suffix.media_type, headers, check
    )

"""/audit: who changed what, when and from where."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query, Response
from pydantic import Field
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
from backend.api.paging import Cursor, decode_cursor, encode_cursor
from backend.api.process.resources import AppResources
from backend.api.results.sharing.exported_page import Part
from backend.api.runs.streaming import Check, ExportStream
from backend.api.schemas import Name, Page, Time
from backend.core.bodies import Schema
from backend.core.csv_rows import write_csv_row
from backend.core.people.access.permissions import Permission
from backend.core.people.audit import repository
from backend.core.people.audit.repository import AuditFilter


class AuditEventOut(Schema):
    """An entry of the audit log."""

    id: UUID
    at: datetime
    actor: str = Field(
        examples=["ada@example.org (Nightly CI)"],
        description="E-mail address of a user, name of a token, TACHO_TOKEN, or Tacho itself.",
    )
    address: str | None = Field(
        examples=["203.0.113.5"],
        description="Network address that the request came from. Null without a request.",
    )
    action: str = Field(examples=["run.created"])
    subject_type: str = Field(examples=["run"])
    subject_id: str = Field(examples=["01981c2e-4a7b-7c3d-9e10-2f3a4b5c6d7e"])
    before: dict[str, Any] | None = Field(
        examples=[{"slug": "k3v9q2mx4d", "visibility": "unlisted"}],
        description="The changed values before, with the names of the subject. Null if it is new.",
    )
    after: dict[str, Any] | None = Field(
        examples=[{"slug": "k3v9q2mx4d", "visibility": "public"}],
        description="The changed values after, with the names of the subject. Null if it is gone.",
    )


class AuditExport(Schema):
    items: list[AuditEventOut]


MAX_ENTRIES = 100_000
_PIECE_ENTRIES = 1_000
_COLUMNS = (
    *("at", "actor", "address", "action", "subject_type", "subject_id"),
    *("before", "after", "id"),
)

CSV_EXAMPLE = """at,actor,address,action,subject_type,subject_id,before,after,id
2026-11-23T22:50:00+00:00,ada@example.org,203.0.113.5,run.created,run,01981c2e-4a7b-…,,"{""slug"": …
"""


class AuditSuffix(StrEnum):
    JSON = "json"
    CSV = "csv"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {AuditSuffix.JSON: "application/json", AuditSuffix.CSV: "text/csv"}


@dataclass
class _Position:
    """How far an export is."""

    left: int
    before: tuple[datetime, UUID] | None = None


def list_parts(wanted: AuditFilter, suffix: AuditSuffix, most: int = MAX_ENTRIES) -> Iterator[Part]:
    """Return the pieces of an export in their order, newest entries first.

    Args:
        most: number of entries after which the export ends.
    """
    position = _Position(most)
    is_csv = suffix is AuditSuffix.CSV
    yield lambda _: write_csv_row(_COLUMNS) if is_csv else '{"items":['
    while position.left > 0:
        # The caller reads each piece before it takes the next one.
        yield partial(_write_piece, wanted=wanted, position=position, is_csv=is_csv)
    if not is_csv:
        yield lambda _: "\n]}\n"


def _write_piece(
    session: Session, *, wanted: AuditFilter, position: _Position, is_csv: bool
) -> str:
    limit = min(_PIECE_ENTRIES, position.left)
    entries = repository.list_events(session, wanted, position.before, limit)
    is_first = position.before is None
    position.left = position.left - limit if len(entries) == limit else 0
    if not entries:
        return ""
    position.before = (entries[-1].at, entries[-1].id)
    shown = [AuditEventOut.of(entry) for entry in entries]
    if is_csv:
        return "".join(write_csv_row(_list_cells(entry)) for entry in shown)
    return ("\n" if is_first else ",\n") + ",\n".join(entry.model_dump_json() for entry in shown)


def _list_cells(entry: AuditEventOut) -> list[object]:
    values = entry.model_dump(mode="json")
    return [_write_value(values[column]) for column in _COLUMNS]


def _write_value(value: object) -> object:
    return value if value is None or isinstance(value, str) else json.dumps(value)


router = NounRouter(tags=["audit"])

_OWN, _OPERATE = needs(Permission.OWN), needs(Permission.OPERATE)

_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "model": AuditExport,
        "content": {"text/csv": {"schema": {"type": "string"}, "example": CSV_EXAMPLE}},
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
    resources: ResourcesDep, sender: SenderDep, wanted: OwnFilterDep, suffix: AuditSuffix
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
    suffix: AuditSuffix,
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
    resources: AppResources, wanted: AuditFilter, suffix: AuditSuffix, check: Check
) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="tacho-audit.{suffix.value}"'}
    return ExportStream(resources, list_parts(wanted, suffix), suffix.media_type, headers, check)

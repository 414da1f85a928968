"""SQL for the audit log. Never commits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, tuple_
from sqlalchemy.orm import Session

from backend.core.models import AuditEvent, Workspace


@dataclass(frozen=True)
class AuditFilter:
    """Which entries of the audit log to read.

    Attributes:
        workspace_id: None for the entries of the installation and of deleted workspaces.
        actor: a part of the actor's name, in any case.
        subject: a type of subjects, such as `run`, or an id.
        since: time of the first entry.
        until: time before which the last entry was written.
    """

    workspace_id: UUID | None
    action: str | None = None
    actor: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def list_events(
    session: Session, wanted: AuditFilter, before: tuple[datetime, UUID] | None, limit: int
) -> Sequence[AuditEvent]:
    """Return entries of the audit log, newest first."""
    query = _select(wanted).order_by(AuditEvent.at.desc(), AuditEvent.id.desc()).limit(limit)
    if before is not None:
        query = query.where(tuple_(AuditEvent.at, AuditEvent.id) < before)
    return session.scalars(query).all()


def delete_old(session: Session, age: timedelta) -> int:
    """Delete the entries that are older, and return their number."""
    old = delete(AuditEvent).where(AuditEvent.at < func.now() - age)
    return len(session.scalars(old.returning(AuditEvent.id)).all())


def _select(wanted: AuditFilter) -> Select[AuditEvent]:
    query = select(AuditEvent).where(_is_of(wanted.workspace_id))
    if wanted.action is not None:
        query = query.where(AuditEvent.action == wanted.action)
    if wanted.actor is not None:
        query = query.where(AuditEvent.actor.icontains(wanted.actor, autoescape=True))
    if wanted.subject is not None:
        is_subject = AuditEvent.subject_type == wanted.subject
        query = query.where(or_(is_subject, AuditEvent.subject_id == wanted.subject))
    if wanted.since is not None:
        query = query.where(AuditEvent.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(AuditEvent.at < wanted.until)
    return query


def _is_of(workspace_id: UUID | None) -> ColumnElement[bool]:
    if workspace_id is not None:
        return AuditEvent.workspace_id == workspace_id
    return or_(
        AuditEvent.workspace_id.is_(None), AuditEvent.workspace_id.not_in(select(Workspace.id))
    )

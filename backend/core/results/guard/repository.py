"""SQL for stored guards. Every function takes the caller's session and never commits."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, defer

from backend.core.errors import NotFound
from backend.core.models import StoredGuard, Workspace
from backend.core.people.access.viewer import Viewer
from backend.core.results.guard.document import GuardReport
from backend.core.results.guard.history import MeasuredCommit
from backend.core.statuses import GuardVerdict

_MOST_MEASURED = 400


class GuardedService(NamedTuple):
    """A service with stored guards: their number, and the newest one."""

    service: str
    guards: int
    slug: str
    verdict: GuardVerdict
    headline: str
    created_at: datetime


def lock_workspace(session: Session, workspace_id: UUID) -> None:
    """Let no other transaction store a guard in the workspace until commit."""
    query = select(Workspace.id).where(Workspace.id == workspace_id)
    # Rows that refer to the workspace can still be inserted.
    session.execute(query.with_for_update(key_share=True))


def count_guards(session: Session, workspace_id: UUID) -> int:
    """Return the number of guards of a workspace."""
    query = select(func.count()).where(StoredGuard.workspace_id == workspace_id)
    return session.scalar(query) or 0


def find_oldest(
    session: Session, workspace_id: UUID, service: str | None = None
) -> StoredGuard | None:
    """Return the oldest guard of a workspace, or of one of its services."""
    query = _select(workspace_id, service).order_by(StoredGuard.created_at, StoredGuard.id)
    return session.scalars(query.limit(1)).one_or_none()


def list_guards(
    session: Session,
    workspace_id: UUID,
    *,
    limit: int,
    service: str | None = None,
    before: tuple[datetime, UUID] | None = None,
) -> Sequence[StoredGuard]:
    """Return guards of a workspace without their reports, newest first.

    Args:
        before: time and id of a guard. Only older guards are returned.
    """
    query = _select(workspace_id, service)
    if before is not None:
        query = query.where(tuple_(StoredGuard.created_at, StoredGuard.id) < before)
    query = query.order_by(StoredGuard.created_at.desc(), StoredGuard.id.desc())
    return session.scalars(query.limit(limit)).all()


def list_measured(session: Session, workspace_id: UUID, service: str) -> list[MeasuredCommit]:
    """Return the newest 400 guards of `tacho measure` of a service, in the order of time."""
    query = (
        select(StoredGuard.slug, StoredGuard.created_at, StoredGuard.report)
        .where(
            StoredGuard.workspace_id == workspace_id,
            StoredGuard.service == service,
            StoredGuard.report["history"].as_string().is_not(None),
        )
        .order_by(StoredGuard.created_at.desc(), StoredGuard.id.desc())
        .limit(_MOST_MEASURED)
    )
    found = [
        MeasuredCommit(slug, created_at, GuardReport.model_validate(report))
        for slug, created_at, report in session.execute(query)
    ]
    return found[::-1]


def list_services(session: Session, workspace_id: UUID) -> list[GuardedService]:
    """Return the services of a workspace that have guards, ordered by name."""
    numbers = func.count().over(partition_by=StoredGuard.service)
    query = (
        select(
            StoredGuard.service,
            numbers,
            StoredGuard.slug,
            StoredGuard.verdict,
            StoredGuard.headline,
            StoredGuard.created_at,
        )
        .where(StoredGuard.workspace_id == workspace_id)
        .ext(distinct_on(StoredGuard.service))
        .order_by(StoredGuard.service, StoredGuard.created_at.desc(), StoredGuard.id.desc())
    )
    return [GuardedService(*row) for row in session.execute(query)]


def get_guard(session: Session, slug: str, viewer: Viewer) -> StoredGuard:
    """Return a guard by its slug; raise NotFound unless the viewer is a member of its workspace."""
    query = select(StoredGuard).where(StoredGuard.slug == slug)
    found = session.scalars(query).one_or_none()
    if found is None or not _is_visible(found, viewer):
        raise NotFound(f"There is no guard {slug!r}.")
    return found


def _is_visible(guard: StoredGuard, viewer: Viewer) -> bool:
    return viewer.is_installation or guard.workspace_id in viewer.memberships


def _select(workspace_id: UUID, service: str | None) -> Select[StoredGuard]:
    query = select(StoredGuard).where(StoredGuard.workspace_id == workspace_id)
    query = query.options(defer(StoredGuard.report, raiseload=True))
    return query if service is None else query.where(StoredGuard.service == service)

"""Store verdicts about changes of own services, so that each has a permalink. Never commits."""

from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import StoredGuard
from backend.core.people.access.viewer import Viewer
from backend.core.people.audit.recording import get_actor
from backend.core.people.tokens.restrictions import restrict_guard
from backend.core.results.guard import repository
from backend.core.results.guard.document import GuardReport
from backend.core.results.guard.report import find_headline
from backend.core.runs.slug import new_slug

# The limit of each workspace.
MOST_GUARDS = 2_000


def store_guard(
    session: Session, workspace_id: UUID, report: GuardReport, requested_by: str | None = None
) -> StoredGuard:
    """Store a report with the verdict that follows from it.

    A workspace has at most 2,000 guards. A further one replaces the oldest guard of the same
    service, or the oldest of all services if this one has none yet.

    Args:
        requested_by: the person or token; None for the actor of the session.

    Raises:
        InvalidRequest: the access token of the session may not guard the service.
    """
    restrict_guard(session, report.service)
    repository.lock_workspace(session, workspace_id)
    if repository.count_guards(session, workspace_id) >= MOST_GUARDS:
        oldest = repository.find_oldest(session, workspace_id, report.service)
        session.delete(oldest or repository.find_oldest(session, workspace_id))
    guard = StoredGuard(
        slug=new_slug(),
        workspace_id=workspace_id,
        service=report.service,
        verdict=report.verdict,
        headline=find_headline(report),
        report=report.model_dump(mode="json"),
        requested_by=requested_by or get_actor(session).label,
    )
    session.add(guard)
    session.flush()
    return guard


def read_report(guard: StoredGuard) -> GuardReport:
    """Return the report of a guard, validated."""
    return GuardReport.model_validate(guard.report)


def delete_guard(session: Session, workspace_id: UUID, slug: str, viewer: Viewer) -> StoredGuard:
    """Delete a guard of a workspace and return it; raise NotFound if there is none."""
    guard = repository.get_guard(session, slug, viewer)
    if guard.workspace_id != workspace_id:
        raise NotFound(f"There is no guard {slug!r}.")
    session.delete(guard)
    session.flush()
    return guard

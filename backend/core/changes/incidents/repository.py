"""SQL for incidents: find, add, lock and delete them. Never commits.

`listing.py` has the SQL of the API's lists.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from backend.core.errors import NotFound
from backend.core.models import CellSummary, Change, HostEvent, Incident, Run
from backend.core.statuses import ChangeStatus
from backend.core.units import Purpose


def list_newest(
    session: Session, workspace_id: UUID, host_id: UUID, framework: str | None, limit: int
) -> Sequence[Incident]:
    """Return the newest incidents of a framework on a host; of the host itself if None."""
    query = select(Incident).where(
        Incident.workspace_id == workspace_id,
        Incident.host_id == host_id,
        Incident.framework == framework,
    )
    query = query.order_by(Incident.at.desc(), Incident.id.desc()).limit(limit)
    return session.scalars(query.with_for_update()).all()


def add(session: Session, incident: Incident) -> Incident:
    """Add a new incident."""
    session.add(incident)
    session.flush()
    return incident


def delete_if_empty(session: Session, incident_id: UUID) -> None:
    """Delete an incident that has no changes."""
    has_changes = exists().where(Change.incident_id == incident_id)
    session.execute(delete(Incident).where(Incident.id == incident_id, ~has_changes))


def count_runs(
    session: Session,
    shift: Change | HostEvent,
    period: tuple[datetime, datetime],
    *,
    framework: str | None = None,
    image_digest: str | None = None,
) -> int:
    """Return the number of comparison runs of a shift's workspace and host in a period.

    Args:
        period: after the first time, up to the second.
        framework: count only runs with results of this framework.
        image_digest: count only runs with results of this build.
    """
    after, until = period
    query = (
        select(func.count(CellSummary.run_id.distinct()))
        .join(Run, Run.id == CellSummary.run_id)
        .where(
            CellSummary.workspace_id == shift.workspace_id,
            CellSummary.host_id == shift.host_id,
            CellSummary.at > after,
            CellSummary.at <= until,
            Run.purpose == Purpose.COMPARISON,
        )
    )
    if framework is not None:
        query = query.where(CellSummary.framework == framework)
    if image_digest is not None:
        query = query.where(CellSummary.image_digest == image_digest)
    return session.scalar(query) or 0


def lock(session: Session, workspace_id: UUID, incident_id: UUID) -> Incident:
    """Return an incident, locked until commit and read again; raise NotFound."""
    query = select(Incident).where(
        Incident.id == incident_id, Incident.workspace_id == workspace_id
    )
    query = query.with_for_update()
    found = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        raise NotFound(f"There is no incident {str(incident_id)!r}.")
    return found


def list_changes(session: Session, incident_id: UUID) -> Sequence[Change]:
    """Return all changes of an incident, oldest first."""
    query = select(Change).where(Change.incident_id == incident_id)
    return session.scalars(query.order_by(Change.at, Change.id)).all()


def lock_changes(session: Session, incident_id: UUID) -> Sequence[Change]:
    """Return all changes of an incident, locked until commit and read again, in order of id."""
    query = select(Change).where(Change.incident_id == incident_id).order_by(Change.id)
    locked = query.with_for_update().execution_options(populate_existing=True)
    return session.scalars(locked).all()


def has_confirmed(session: Session, incident_id: UUID) -> bool:
    """Return whether a change of the incident is confirmed."""
    query = exists().where(
        Change.incident_id == incident_id, Change.status == ChangeStatus.CONFIRMED
    )
    return bool(session.scalar(select(query)))

"""SQL for lists of incidents with their changes, and for their counts. Never commits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select, tuple_
from sqlalchemy.orm import Session, contains_eager

from backend.core.access.viewer import Viewer
from backend.core.changes.lifecycle import OPEN, STRONGEST_FIRST
from backend.core.changes.listing import ChangeRow, is_visible, read_rows, select_rows
from backend.core.changes.size import order_by_size
from backend.core.errors import NotFound
from backend.core.models import Change, Host, Incident
from backend.core.statuses import ChangeStatus


@dataclass(frozen=True)
class IncidentFilter:
    """Filters of a list of incidents; None does not filter."""

    status: ChangeStatus | None = None
    is_open: bool | None = None
    framework: str | None = None
    host: str | None = None


class IncidentRow(NamedTuple):
    """An incident (with its host), its status, and the changes that the viewer may see.

    The largest change is the first.
    """

    incident: Incident
    status: ChangeStatus
    is_open: bool
    changes: Sequence[ChangeRow]


@dataclass(frozen=True)
class IncidentTotals:
    """Number of incidents by status, and of those that are open."""

    by_status: Mapping[ChangeStatus, int]
    open: int


def list_incidents(
    session: Session,
    filters: IncidentFilter,
    *,
    viewer: Viewer,
    before: tuple[datetime, UUID] | None = None,
    limit: int,
) -> list[IncidentRow]:
    """Return incidents with changes between runs that the viewer sees, newest first."""
    query = _select_incidents(viewer, filters)
    if before is not None:
        query = query.where(tuple_(Incident.at, Incident.id) < before)
    ordered = query.order_by(Incident.at.desc(), Incident.id.desc()).limit(limit)
    return _add_changes(session, ordered, viewer)


def get_incident(session: Session, incident_id: UUID, viewer: Viewer) -> IncidentRow:
    """Return an incident with its changes; raise NotFound if there is none."""
    query = _select_incidents(viewer, IncidentFilter()).where(Incident.id == incident_id)
    found = _add_changes(session, query, viewer)
    if not found:
        raise NotFound(f"There is no incident {str(incident_id)!r}.")
    return found[0]


def count_incidents(session: Session, viewer: Viewer) -> IncidentTotals:
    """Return the number of incidents with changes between runs that the viewer sees."""
    summed = _sum_up(viewer).subquery()
    query = select(summed.c.place, summed.c.is_open, func.count()).group_by(
        summed.c.place, summed.c.is_open
    )
    by_status = dict.fromkeys(ChangeStatus, 0)
    is_open = 0
    for place, open_too, count in session.execute(query):
        by_status[STRONGEST_FIRST[place]] += count
        is_open += count if open_too else 0
    return IncidentTotals(by_status, is_open)


def count_open(session: Session, viewer: Viewer) -> int:
    """Return the number of open incidents. Every page of the UI shows it."""
    query = select(func.count(Change.incident_id.distinct())).where(_is_open())
    return session.scalar(query.where(*is_visible(viewer))) or 0


def _select_incidents(viewer: Viewer, filters: IncidentFilter) -> Select[Incident, int, bool]:
    """Select incidents with the place of their status in STRONGEST_FIRST, and if they are open.

    Only the changes of the incidents that the statement reads are summed up.
    """
    own = Change.incident_id == Incident.id
    changes = select(_PLACE.label("place"), _ANY_OPEN.label("is_open"))
    summed = changes.where(own, *is_visible(viewer)).lateral("summed")
    query = (
        select(Incident, summed.c.place, summed.c.is_open)
        # Without a visible change, the sum is one row of nulls.
        .join(summed, summed.c.place.is_not(None))
        .join(Incident.host)
        .options(contains_eager(Incident.host).load_only(Host.name, raiseload=True))
    )
    if viewer.workspace is not None:
        query = query.where(Incident.workspace_id == viewer.workspace)
    if filters.status is not None:
        # Few incidents may have this status. An index finds their changes.
        query = query.where(
            summed.c.place == STRONGEST_FIRST.index(filters.status),
            exists().where(own, Change.status == filters.status),
        )
    if filters.is_open is not None:
        has_open = exists().where(own, _is_open())
        query = query.where(summed.c.is_open.is_(filters.is_open))
        query = query.where(has_open) if filters.is_open else query
    if filters.host is not None:
        query = query.where(Host.name == filters.host)
    if filters.framework is not None:
        query = query.where(exists().where(own, Change.framework == filters.framework))
    return query


def _sum_up(viewer: Viewer) -> Select[UUID, int, bool]:
    """Select each incident with the place of its status in STRONGEST_FIRST."""
    query = select(Change.incident_id, _PLACE.label("place"), _ANY_OPEN.label("is_open"))
    return query.where(*is_visible(viewer)).group_by(Change.incident_id)


def _is_open() -> ColumnElement[bool]:
    """The rule of `lifecycle.needs_attention`, as a condition that the partial index has."""
    confirmed = and_(Change.status == ChangeStatus.CONFIRMED, Change.acknowledged_at.is_(None))
    return or_(Change.status.in_(sorted(OPEN)), confirmed)


_PLACE = func.min(
    case(*((Change.status == status, index) for index, status in enumerate(STRONGEST_FIRST)))
)
_ANY_OPEN = func.bool_or(_is_open())


def _add_changes(
    session: Session, query: Select[Incident, int, bool], viewer: Viewer
) -> list[IncidentRow]:
    rows = session.execute(query).all()
    changes: dict[UUID, list[ChangeRow]] = {incident.id: [] for incident, _, _ in rows}
    of_these = select_rows(viewer).where(Change.incident_id.in_(changes))
    for row in read_rows(session, of_these):
        changes[row.change.incident_id].append(row)
    return [
        IncidentRow(incident, STRONGEST_FIRST[place], is_open, _order(changes[incident.id]))
        for incident, place, is_open in rows
        # A change whose run is not summarised yet cannot be shown.
        if changes[incident.id]
    ]


def _order(rows: Sequence[ChangeRow]) -> list[ChangeRow]:
    of_change = {row.change.id: row for row in rows}
    return [of_change[change.id] for change in order_by_size([row.change for row in rows])]

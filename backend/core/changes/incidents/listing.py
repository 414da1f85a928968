"""SQL for lists of incidents with their changes, and for their counts. Never commits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, or_, select
from sqlalchemy.orm import Session, load_only

from backend.core.changes.lifecycle import OPEN, STRONGEST_FIRST, needs_attention, sum_up_statuses
from backend.core.changes.listing import (
    ChangeRow,
    RowQuery,
    is_visible,
    is_visible_on_page,
    make_row,
    read_page,
    select_rows,
)
from backend.core.changes.size import order_by_size, order_regressions_first
from backend.core.errors import NotFound
from backend.core.models import Change, Incident
from backend.core.people.access.viewer import Viewer
from backend.core.runs.listing import ListedRow
from backend.core.statuses import ChangeStatus

# The largest open incidents are sought among this many of the newest.
_MOST_SORTED = 100


@dataclass(frozen=True)
class IncidentFilter:
    """Which incidents a list contains; None does not filter.

    Attributes:
        limit: the number of incidents on a page.
        before: time and id of the last incident of the previous page.
    """

    limit: int
    status: ChangeStatus | None = None
    is_open: bool | None = None
    framework: str | None = None
    host: str | None = None
    before: tuple[datetime, UUID] | None = None


class IncidentRow(NamedTuple):
    """An incident, its status, and the changes that the viewer may see.

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


def list_newest_incidents(
    session: Session, wanted: IncidentFilter, viewer: Viewer
) -> list[ListedRow]:
    """Return the incidents of a page with changes that the viewer sees listed, newest first.

    If there is a next page, its first incident is the last one.
    """
    is_of_incident = Change.incident_id == Incident.id
    query = select(Incident.id, Incident.at)
    if viewer.workspace is not None:
        query = query.where(Incident.workspace_id == viewer.workspace)
    # Conditions on the changes that the viewer sees. An index finds the few changes with a status.
    of_listed: list[ColumnElement[bool]] = [func.count() > 0]
    if wanted.status is not None:
        of_listed.append(_PLACE.is_not_distinct_from(STRONGEST_FIRST.index(wanted.status)))
        query = query.where(exists().where(is_of_incident, Change.status == wanted.status))
    if wanted.is_open is not None:
        of_listed.append(_ANY_OPEN.is_(wanted.is_open))
        if wanted.is_open:
            query = query.where(exists().where(is_of_incident, _is_open()))
    if wanted.framework is not None:
        query = query.where(exists().where(is_of_incident, Change.framework == wanted.framework))
    listed = select(and_(*of_listed)).where(is_of_incident, *is_visible_on_page(viewer))
    query = query.where(listed.correlate(Incident).scalar_subquery())
    return read_page(session, query, Incident, wanted.host, wanted.before, wanted.limit)


def list_incidents(
    session: Session, incident_ids: Collection[UUID], viewer: Viewer
) -> dict[UUID, IncidentRow]:
    """Return these incidents by id, without those of which the viewer sees no change."""
    incidents: dict[UUID, Incident] = {}
    changes: dict[UUID, list[ChangeRow]] = {}
    for *values, incident in session.execute(
        _select_incident_rows(viewer), {"incidents": list(incident_ids)}
    ):
        incidents[incident.id] = incident
        changes.setdefault(incident.id, []).append(make_row(values))
    return {own: _sum_up_changes(incidents[own], changes[own]) for own in incidents}


def get_incident(session: Session, incident_id: UUID, viewer: Viewer) -> IncidentRow:
    """Return an incident with its changes; raise NotFound if there is none."""
    found = list_incidents(session, [incident_id], viewer)
    if not found:
        raise NotFound(f"There is no incident {str(incident_id)!r}.")
    return found[incident_id]


class OpenIncidents(NamedTuple):
    """The open incidents that a viewer sees.

    Attributes:
        total: the number of all.
        largest: the ids of the largest of the newest, regressions first.
    """

    total: int
    largest: Sequence[UUID]


def find_open(session: Session, viewer: Viewer, limit: int) -> OpenIncidents:
    """Return the number of open incidents, and at most `limit` of the largest."""
    rows = session.execute(_select_open_shifts(viewer)).all()
    shifts: dict[UUID, list[Change]] = {}
    for _, change in rows:
        shifts.setdefault(change.incident_id, []).append(change)
    leads = order_regressions_first([order_by_size(own)[0] for own in shifts.values()])
    largest = [lead.incident_id for lead in leads[:limit]]
    return OpenIncidents(rows[0][0] if rows else 0, largest)


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
    return session.scalar(_select_open_count(viewer)) or 0


def _select_open_count(viewer: Viewer) -> Select[int]:
    query = select(func.count(Change.incident_id.distinct())).where(_is_open())
    return query.where(*is_visible(viewer))


# To build these two statements takes as long as to execute them.
@lru_cache(maxsize=100)
def _select_incident_rows(viewer: Viewer) -> RowQuery:
    """Select the changes of `incidents` for `make_row`, each with its incident."""
    return (
        select_rows(viewer)
        .join(Incident, Incident.id == Change.incident_id)
        .add_columns(Incident)
        .where(Incident.id.in_(bindparam("incidents", expanding=True)))
    )


@lru_cache(maxsize=100)
def _select_open_shifts(viewer: Viewer) -> RowQuery:
    """Select the number of all open incidents, and the changes of the newest.

    Only the columns that decide the size of a change are loaded.
    """
    is_of_incident = Change.incident_id == Incident.id
    newest = (
        select(Incident.id)
        .where(exists().where(is_of_incident, _is_open(), *is_visible(viewer)))
        .order_by(Incident.at.desc(), Incident.id.desc())
        .limit(_MOST_SORTED)
    )
    columns = (
        *(Change.incident_id, Change.status, Change.metric),
        *(Change.ratio, Change.confirmation_ratio),
    )
    return (
        select(_select_open_count(viewer).scalar_subquery(), Change)
        .options(load_only(*columns, raiseload=True))
        .where(Change.incident_id.in_(newest), *is_visible(viewer))
        # Of equally large incidents, the newest is the first.
        .order_by(Change.incident_id.desc())
    )


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


def _sum_up_changes(incident: Incident, rows: Sequence[ChangeRow]) -> IncidentRow:
    of_change = {row.change.id: row for row in rows}
    changes = order_by_size([row.change for row in rows])
    return IncidentRow(
        incident,
        sum_up_statuses(change.status for change in changes),
        any(
            needs_attention(change.status, is_acknowledged=change.acknowledged_at is not None)
            for change in changes
        ),
        [of_change[change.id] for change in changes],
    )

"""SQL for lists of changes and host events with their runs. Never commits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.orm import Session, aliased, contains_eager

from backend.core.access.viewer import Viewer
from backend.core.errors import NotFound
from backend.core.models import CellSummary, Change, Host, HostEvent, Run
from backend.core.runs.visibility import is_listed
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric


@dataclass(frozen=True)
class ChangeFilter:
    """Filters of a list of changes; None does not filter."""

    status: ChangeStatus | None = None
    framework: str | None = None
    scenario: str | None = None
    metric: Metric | None = None
    host: str | None = None


class ChangeRow(NamedTuple):
    """A change (with its host) and the runs it belongs to."""

    change: Change
    before: CellSummary
    before_run: str
    after: CellSummary
    after_run: str
    confirmation_run: str | None
    # Whether the viewer may see the run of its host event, if it has one.
    is_event_listed: bool
    # Whether the viewer may see its confirmation run, if it has one.
    is_confirmation_listed: bool


def list_changes(
    session: Session,
    filters: ChangeFilter,
    *,
    viewer: Viewer,
    before: tuple[datetime, UUID] | None = None,
    limit: int,
) -> Sequence[ChangeRow]:
    """Return changes between runs that the viewer sees, newest first."""
    query = select_rows(viewer).order_by(Change.at.desc(), Change.id.desc()).limit(limit)
    for column, value in (
        (Change.status, filters.status),
        (Change.framework, filters.framework),
        (Change.scenario, filters.scenario),
        (Change.metric, filters.metric),
        (Host.name, filters.host),
    ):
        if value is not None:
            query = query.where(column == value)
    if before is not None:
        query = query.where(tuple_(Change.at, Change.id) < before)
    return [ChangeRow._make(row) for row in session.execute(query)]


def count_changes(session: Session, viewer: Viewer) -> dict[ChangeStatus, int]:
    """Return the number of changes between runs that the viewer sees by status."""
    rows = select_rows(viewer).with_only_columns(Change.status, func.count())
    counted = session.execute(rows.group_by(Change.status))
    return {ChangeStatus(status): count for status, count in counted}


def get_change(session: Session, change_id: UUID, viewer: Viewer) -> ChangeRow:
    """Return a change with its runs; raise NotFound if there is none."""
    row = session.execute(select_rows(viewer).where(Change.id == change_id)).one_or_none()
    if row is None:
        raise NotFound(f"There is no change {str(change_id)!r}.")
    return ChangeRow._make(row)


def list_host_events(
    session: Session, viewer: Viewer, limit: int
) -> Sequence[tuple[HostEvent, str]]:
    """Return the newest host events with their host, each with the slug of its run."""
    query = (
        select(HostEvent, Run.slug)
        .join(Run, Run.id == HostEvent.run_id)
        .join(HostEvent.host)
        .options(contains_eager(HostEvent.host))
        .where(is_listed(viewer))
        .order_by(HostEvent.at.desc(), HostEvent.id.desc())
        .limit(limit)
    )
    return [(event, slug) for event, slug in session.execute(query)]


def select_rows(
    viewer: Viewer,
) -> Select[Change, CellSummary, str, CellSummary, str, str, bool, bool]:
    """Select changes between runs that the viewer sees, as the columns of a `ChangeRow`."""
    before, after = aliased(CellSummary, name="before"), aliased(CellSummary, name="after")
    before_run, after_run = aliased(Run, name="before_run"), aliased(Run, name="after_run")
    confirmation, event_run = aliased(Run, name="confirmation"), aliased(Run, name="event_run")
    return (
        select(
            Change,
            before,
            before_run.slug,
            after,
            after_run.slug,
            confirmation.slug,
            is_listed(viewer, event_run),
            func.coalesce(is_listed(viewer, confirmation), True),
        )
        .join(Change.host)
        .join(before, before.cell_id == Change.before_cell_id)
        .join(after, after.cell_id == Change.after_cell_id)
        .join(before_run, before_run.id == before.run_id)
        .join(after_run, after_run.id == after.run_id)
        .outerjoin(confirmation, confirmation.id == Change.confirmation_run_id)
        .outerjoin(HostEvent, HostEvent.id == Change.host_event_id)
        .outerjoin(event_run, event_run.id == HostEvent.run_id)
        .options(contains_eager(Change.host))
        .where(is_listed(viewer, before_run), is_listed(viewer, after_run))
    )

"""SQL for lists of changes and host events with their runs. Never commits."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Select,
    SQLColumnExpression,
    func,
    select,
    tuple_,
)
from sqlalchemy.orm import Session, aliased, contains_eager

from backend.core.errors import NotFound
from backend.core.models import (
    Cell,
    CellSummary,
    Change,
    Framework,
    Host,
    HostEvent,
    Incident,
    Run,
    Scenario,
)
from backend.core.people.access.viewer import Viewer
from backend.core.runs.listing import ListedRow
from backend.core.runs.visibility import is_listed
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric

T = TypeVar("T")
# The rows of `select_rows`, which `read_rows` gives their types.
RowQuery = Select[*tuple[Any, ...]]


@dataclass(frozen=True)
class ChangeFilter:
    """Which changes a list contains; None does not filter.

    Attributes:
        limit: the number of changes on a page.
        before: time and id of the last change of the previous page.
    """

    limit: int
    status: ChangeStatus | None = None
    framework: str | None = None
    scenario: str | None = None
    metric: Metric | None = None
    host: str | None = None
    before: tuple[datetime, UUID] | None = None


class ChangeSide(NamedTuple):
    """The cell before or after a change, nearest to it."""

    cell_id: UUID
    at: datetime
    image_digest: str | None
    run_slug: str


class ChangeRow(NamedTuple):
    """A change, the runs it belongs to, and its names."""

    change: Change
    before: ChangeSide
    after: ChangeSide
    confirmation_run: str | None
    # Whether the viewer may see the run of its host event, if it has one.
    is_event_listed: bool
    # Whether the viewer may see its confirmation run, if it has one.
    is_confirmation_listed: bool
    framework_name: str
    framework_colour: int
    scenario_name: str
    host_name: str


def list_newest_changes(session: Session, wanted: ChangeFilter, viewer: Viewer) -> list[ListedRow]:
    """Return the changes of a page between runs that the viewer sees listed, newest first.

    If there is a next page, its first change is the last one.
    """
    query = select(Change.id, Change.at).where(*is_visible_on_page(viewer))
    for column, value in (
        (Change.status, wanted.status),
        (Change.framework, wanted.framework),
        (Change.scenario, wanted.scenario),
        (Change.metric, wanted.metric),
    ):
        if value is not None:
            query = query.where(column == value)
    return read_page(session, query, Change, wanted.host, wanted.before, wanted.limit)


def read_page(
    session: Session,
    query: Select[UUID, datetime],
    table: type[Change] | type[Incident],
    host: str | None,
    before: tuple[datetime, UUID] | None,
    limit: int,
) -> list[ListedRow]:
    """Return the ids and times of a page of changes or incidents, newest first.

    Args:
        query: selects `id` and `at` of the table.
        host: only rows of the bench host with this name.
        before: time and id of the last row of the previous page.
        limit: of a page. There is one more row if there is a next page.
    """
    if host is not None:
        query = query.where(table.host_id.in_(select(Host.id).where(Host.name == host)))
    if before is not None:
        query = query.where(tuple_(table.at, table.id) < before)
    query = query.order_by(table.at.desc(), table.id.desc()).limit(limit + 1)
    return [ListedRow(*row) for row in session.execute(query)]


def list_changes(
    session: Session, change_ids: Collection[UUID], viewer: Viewer
) -> Sequence[ChangeRow]:
    """Return those of these changes that are between runs that the viewer sees, in any order."""
    return read_rows(session, select_rows(viewer).where(Change.id.in_(change_ids)))


def count_changes(session: Session, viewer: Viewer) -> dict[ChangeStatus, int]:
    """Return the number of changes between runs that the viewer sees by status."""
    query = select(Change.status, func.count()).where(*is_visible(viewer)).group_by(Change.status)
    return {ChangeStatus(status): count for status, count in session.execute(query)}


def get_change(session: Session, change_id: UUID, viewer: Viewer) -> ChangeRow:
    """Return a change with its runs; raise NotFound if there is none."""
    rows = list_changes(session, [change_id], viewer)
    if not rows:
        raise NotFound(f"There is no change {str(change_id)!r}.")
    return rows[0]


def list_host_events(
    session: Session, viewer: Viewer, limit: int
) -> Sequence[tuple[HostEvent, str]]:
    """Return the newest host events with their host, each with the slug of its run."""
    query = (
        select(HostEvent, Run.slug)
        .join(Run, Run.id == HostEvent.run_id)
        .join(HostEvent.host)
        .options(contains_eager(HostEvent.host).load_only(Host.name, raiseload=True))
        .where(is_listed(viewer))
        .order_by(HostEvent.at.desc(), HostEvent.id.desc())
        .limit(limit)
    )
    return [(event, slug) for event, slug in session.execute(query)]


def is_visible(viewer: Viewer) -> list[ColumnElement[bool]]:
    """Return the conditions that a viewer may see both runs of a change."""
    if viewer.workspace is not None:
        return [Change.workspace_id == viewer.workspace]
    conditions: list[ColumnElement[bool]] = []
    for side in (Change.before_cell_id, Change.after_cell_id):
        cell, run = aliased(Cell), aliased(Run)
        visible = select(cell.id).join(run, run.id == cell.run_id)
        conditions.append(side.in_(visible.where(is_listed(viewer, run))))
    return conditions


def is_visible_on_page(viewer: Viewer) -> list[ColumnElement[bool]]:
    """Return the conditions of `is_visible` for the few changes of a page.

    They are subqueries, which read only the runs of changes that are read.
    """
    if viewer.workspace is not None:
        return is_visible(viewer)
    of_run = select(is_listed(viewer)).join(CellSummary, CellSummary.run_id == Run.id)
    return [
        of_run.where(CellSummary.cell_id == side).scalar_subquery()
        for side in (Change.before_cell_id, Change.after_cell_id)
    ]


# Aliases remember how their columns are named, which takes longer than the statement.
_BEFORE, _AFTER = aliased(CellSummary, name="before"), aliased(CellSummary, name="after")


# To build the statement takes a quarter of the time.
@lru_cache(maxsize=100)
def select_rows(viewer: Viewer) -> RowQuery:
    """Select changes between runs that the viewer sees, for `read_rows`.

    Runs and names are read by subqueries. To plan joins with all of them takes longer.
    """
    is_event_listed = (
        select(is_listed(viewer))
        .select_from(Run)
        .join(HostEvent, HostEvent.run_id == Run.id)
        .where(HostEvent.id == Change.host_event_id)
        .scalar_subquery()
    )
    is_confirmation_listed = _of_run(Change.confirmation_run_id, is_listed(viewer))
    visible: list[ColumnElement[bool]] = [
        _of_run(_BEFORE.run_id, is_listed(viewer)),
        _of_run(_AFTER.run_id, is_listed(viewer)),
    ]
    if viewer.workspace is not None:
        visible = is_visible(viewer)
    return (
        select(
            Change,
            *_list_columns(_BEFORE),
            *_list_columns(_AFTER),
            _of_run(Change.confirmation_run_id, Run.slug),
            is_event_listed,
            func.coalesce(is_confirmation_listed, True),
            _of(Framework.name, Framework.slug == Change.framework),
            _of(Framework.colour, Framework.slug == Change.framework),
            _of(Scenario.name, Scenario.slug == Change.scenario),
            _of(Host.name, Host.id == Change.host_id),
        )
        # Without it, SQLAlchemy searches the columns of the aliases for the left side of the joins.
        # The search fails if two threads were the first to use an alias at the same time.
        .select_from(Change)
        .join(_BEFORE, _BEFORE.cell_id == Change.before_cell_id)
        .join(_AFTER, _AFTER.cell_id == Change.after_cell_id)
        .where(*visible)
    )


def read_rows(session: Session, query: RowQuery) -> list[ChangeRow]:
    """Return the rows of a statement of `select_rows`, whose conditions were extended."""
    return [make_row(row) for row in session.execute(query)]


def make_row(values: Sequence[object]) -> ChangeRow:
    """Return a row of a statement of `select_rows` with its types."""
    change, *others = values
    size = len(ChangeSide._fields)
    before, after = ChangeSide._make(others[:size]), ChangeSide._make(others[size : 2 * size])
    return ChangeRow._make([change, before, after, *others[2 * size :]])


def _list_columns(side: type[CellSummary]) -> list[SQLColumnExpression[object]]:
    """Return the columns of a `ChangeSide`. Entities would take longer."""
    return [side.cell_id, side.at, side.image_digest, _of_run(side.run_id, Run.slug)]


def _of_run(
    run_id: SQLColumnExpression[UUID] | SQLColumnExpression[UUID | None],
    value: SQLColumnExpression[T],
) -> ScalarSelect[T]:
    """Return a value of the run with this id, as a subquery."""
    return _of(value, Run.id == run_id)


def _of(value: SQLColumnExpression[T], condition: ColumnElement[bool]) -> ScalarSelect[T]:
    """Return a value of the row of a table that meets a condition, as a subquery."""
    return select(value).where(condition).scalar_subquery()

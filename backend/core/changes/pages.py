"""SQL that finds the changes and incidents of one page of a list. Never commits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.changes.lifecycle import OPEN, STRONGEST_FIRST
from backend.core.people.access.viewer import Viewer
from backend.core.runs.listing import ListedRow, read_listed_rows
from backend.core.runs.visibility import write_is_listed
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric

# The limit is a parameter: with a literal, PostgreSQL sorts all incidents of a workspace.
_PAGE = """
    SELECT {table}.id, {table}.at AS key FROM {table} WHERE {conditions}
    ORDER BY {table}.at DESC, {table}.id DESC LIMIT %(limit)s
"""
# Whether the run before or after a change is listed. Subqueries: to plan joins takes longer.
_IS_SIDE_LISTED = """(
    SELECT {listed} FROM cell_summary AS side JOIN run ON run.id = side.run_id
    WHERE side.cell_id = change.{side}_cell_id
)"""
# The rule of `lifecycle.needs_attention`, as the condition of the partial index.
_UNDECIDED = ", ".join(f"'{status}'" for status in sorted(OPEN))
_IS_OPEN = (
    f"(change.status IN ({_UNDECIDED}) "
    f"OR (change.status = '{ChangeStatus.CONFIRMED}' AND change.acknowledged_at IS NULL))"
)
_OF_HOST = "{table}.host_id IN (SELECT host.id FROM host WHERE host.name = %(host)s)"
_HAS_CHANGE = "EXISTS (SELECT FROM change WHERE change.incident_id = incident.id AND {condition})"


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


def list_newest_changes(session: Session, wanted: ChangeFilter, viewer: Viewer) -> list[ListedRow]:
    """Return the changes of a page between runs that the viewer sees listed, newest first.

    If there is a next page, its first change is the last one.
    """
    conditions, parameters = _write_conditions("change", wanted)
    for column, member in (("status", wanted.status), ("metric", wanted.metric)):
        if member is not None:
            conditions.append(f"change.{column} = '{member}'")
    for column, name in (("framework", wanted.framework), ("scenario", wanted.scenario)):
        if name is not None:
            conditions.append(f"change.{column} = %({column})s")
            parameters[column] = name
    is_listed, rights = _write_is_listed(viewer)
    return _read_page(session, "change", [*conditions, is_listed], parameters | rights)


def list_newest_incidents(
    session: Session, wanted: IncidentFilter, viewer: Viewer
) -> list[ListedRow]:
    """Return the incidents of a page with changes that the viewer sees listed, newest first.

    If there is a next page, its first incident is the last one.
    """
    conditions, parameters = _write_conditions("incident", wanted)
    if viewer.workspace is not None:
        conditions.append("incident.workspace_id = %(workspace)s")
    # Conditions on the changes that the viewer sees.
    of_listed = ["count(*) > 0"]
    if wanted.status is not None:
        has_status = f"change.status = '{wanted.status}'"
        of_listed.append(f"bool_or({has_status})")
        of_listed += [
            f"NOT bool_or(change.status = '{stronger}')"
            for stronger in STRONGEST_FIRST[: STRONGEST_FIRST.index(wanted.status)]
        ]
        # Few incidents may have this status. An index finds their changes.
        conditions.append(_HAS_CHANGE.format(condition=has_status))
    if wanted.is_open is not None:
        of_listed.append(f"bool_or({_IS_OPEN}) = {str(wanted.is_open).lower()}")
        if wanted.is_open:
            conditions.append(_HAS_CHANGE.format(condition=_IS_OPEN))
    if wanted.framework is not None:
        conditions.append(_HAS_CHANGE.format(condition="change.framework = %(framework)s"))
        parameters["framework"] = wanted.framework
    is_listed, rights = _write_is_listed(viewer)
    own = f"change.incident_id = incident.id AND {is_listed}"
    conditions.append(f"(SELECT {' AND '.join(of_listed)} FROM change WHERE {own})")  # noqa: S608
    return _read_page(session, "incident", conditions, parameters | rights)


def _read_page(
    session: Session, table: str, conditions: Sequence[str], parameters: dict[str, object]
) -> list[ListedRow]:
    statement = _PAGE.format(table=table, conditions=" AND ".join(conditions))
    return read_listed_rows(session, statement, parameters)


def _write_conditions(
    table: str, wanted: ChangeFilter | IncidentFilter
) -> tuple[list[str], dict[str, object]]:
    """Return the conditions that changes and incidents share, with their parameters."""
    conditions = []
    parameters: dict[str, object] = {"limit": wanted.limit + 1}
    if wanted.host is not None:
        conditions.append(_OF_HOST.format(table=table))
        parameters["host"] = wanted.host
    if wanted.before is not None:
        conditions.append(f"({table}.at, {table}.id) < (%(before_at)s, %(before_id)s)")
        parameters["before_at"], parameters["before_id"] = wanted.before
    return conditions, parameters


def _write_is_listed(viewer: Viewer) -> tuple[str, dict[str, object]]:
    """Return the condition of `listing.is_visible` as text, with its parameters."""
    if viewer.workspace is not None:
        return "change.workspace_id = %(workspace)s", {"workspace": viewer.workspace}
    listed, parameters = write_is_listed(viewer)
    sides = [_IS_SIDE_LISTED.format(listed=listed, side=side) for side in ("before", "after")]
    return " AND ".join(sides), parameters

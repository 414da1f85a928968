"""SQL for runs as lists show them. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload, selectinload

from backend.core.errors import InvalidRequest
from backend.core.models import Cell, Framework, Host, Run, Scenario
from backend.core.people.access.viewer import Viewer
from backend.core.people.workspaces.repository import find_member
from backend.core.runs.visibility import is_listed, write_is_listed
from backend.core.statuses import RunOutcome, RunStatus
from backend.core.units import Purpose

# Lists show names only, without long documents. Joins take less time than further statements.
_IN_LISTS = (
    joinedload(Run.host, innerjoin=True).load_only(Host.name, Host.runtime, raiseload=True),
    selectinload(Run.cells).options(
        joinedload(Cell.framework, innerjoin=True).load_only(
            Framework.slug, Framework.name, Framework.colour, raiseload=True
        ),
        joinedload(Cell.scenario, innerjoin=True).load_only(
            Scenario.slug, Scenario.name, raiseload=True
        ),
    ),
)
_SELECT_SORTED = """
    SELECT run.id, {key} AS key FROM run
    WHERE {conditions} ORDER BY {key} {direction}, run.id {direction} LIMIT {limit}
"""
# Runs with a cell of a framework or scenario. If few runs have one, all are sorted. Otherwise
# the newest runs are read until the page is full. Only one of the two parts is executed.
_SELECT_NEWEST_OF = """
    WITH named AS MATERIALIZED (
        SELECT DISTINCT run_id FROM cell
        WHERE {table}_id = (SELECT id FROM {table} WHERE slug = %({table})s){of_purpose}
        ORDER BY run_id DESC LIMIT {few}
    ),
    size AS MATERIALIZED (
        SELECT count(*) < {few} AS is_small,
            (SELECT run_id FROM named ORDER BY run_id LIMIT 1) AS first_id
        FROM named
    )
    ({sorted_runs}) UNION ALL ({newest_runs}) ORDER BY key DESC, id DESC
"""
# The reference services, for instance, only have calibrations.
_IS_COMPARISON = f" AND run_id NOT IN (SELECT id FROM run WHERE purpose <> '{Purpose.COMPARISON}')"  # noqa: S608
_IS_NAMED = (
    "(SELECT is_small FROM size)",
    "run.id = ANY(ARRAY(SELECT run_id FROM named))",
)
# Ids have the order of creation, so the newest runs almost always have one of the newest ids, which
# are named. Cells are read only for runs with an older id.
_IS_NAMED_OR_OLDER = (
    "NOT (SELECT is_small FROM size)",
    "CASE WHEN run.id >= (SELECT first_id FROM size) THEN run.id IN (SELECT run_id FROM named) "
    "ELSE {has_cell} END",
)
# Sorting as many runs takes as long as reading the newest runs until a page is full.
_FEW_RUNS = 1_000
# Read once, because rare frameworks and scenarios have few runs; OFFSET prevents a search per run.
_HAS_CELL_OF = (
    "run.id IN (SELECT run_id FROM cell "
    "WHERE {table}_id = (SELECT id FROM {table} WHERE slug = %({table})s) OFFSET 0)"
)
_WITH_CELL_OF = (
    "EXISTS (SELECT FROM cell WHERE cell.run_id = run.id "
    "AND cell.{table}_id = (SELECT id FROM {table} WHERE slug = %({table})s))"
)
# A token of a person acts as "ada@example.org (nightly)".
_IS_REQUESTED_BY = (
    "(run.requested_by = %(requested_by)s OR starts_with(run.requested_by, %(token_of)s))"
)

SortKey = datetime | str | float


class ListedRow(NamedTuple):
    """The id of a row of a list, and the value by which the list is sorted."""

    id: UUID
    key: SortKey


class RunSort(StrEnum):
    """The order of a list of runs."""

    NEWEST = "newest"
    OLDEST = "oldest"
    TITLE = "title"
    LONGEST = "longest"


# The value that each order compares, and its direction. Runs that have not ended took no time yet.
_ORDERS = {
    RunSort.NEWEST: ("run.created_at", "DESC"),
    RunSort.OLDEST: ("run.created_at", "ASC"),
    RunSort.TITLE: ("run.title", "ASC"),
    RunSort.LONGEST: (
        "coalesce(extract(epoch FROM run.finished_at - run.started_at), 0)::float8",
        "DESC",
    ),
}


@dataclass(frozen=True)
class RunFilter:
    """Which runs a list contains, and their order.

    Attributes:
        limit: the number of runs on a page.
        host: a name.
        requested_by: an e-mail address, which includes the person's tokens, or the name of another
            requester.
        since: the first time of creation.
        until: the time of creation before which all runs are.
        is_scheduled: whether schedules started the runs; None for all.
        after: sort key and id of the last run of the previous page.
    """

    limit: int
    purpose: Purpose = Purpose.COMPARISON
    status: RunStatus | None = None
    outcome: RunOutcome | None = None
    framework: str | None = None
    scenario: str | None = None
    host: str | None = None
    requested_by: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    is_scheduled: bool | None = None
    sort: RunSort = RunSort.NEWEST
    after: tuple[SortKey, UUID] | None = None


def list_page(session: Session, wanted: RunFilter, viewer: Viewer) -> list[ListedRow]:
    """Return the runs of a page that the viewer sees listed.

    If there is a next page, its first run is the last one.

    Raises:
        InvalidRequest: the filter names something that does not exist, or a requester although the
            viewer does not see who requested runs.
    """
    if wanted.requested_by is not None and not viewer.is_member:
        detail = "Only members of a workspace see who requested its runs."
        raise InvalidRequest.about("requested_by", detail)
    rows = read_listed_rows(session, *_write_list(wanted, viewer))
    # A filter that names something unknown finds nothing.
    if not rows and (problems := _list_unknown_names(session, wanted, viewer)):
        raise InvalidRequest.of(problems)
    return rows


def read_listed_rows(
    session: Session, statement: str, parameters: Mapping[str, object]
) -> list[ListedRow]:
    """Return the rows of a statement that selects `id` and `key`."""
    rows = session.connection().exec_driver_sql(statement, dict(parameters))
    return [ListedRow(row.id, row.key) for row in rows]


def _list_unknown_names(
    session: Session, wanted: RunFilter, viewer: Viewer
) -> list[dict[str, str]]:
    """Return a problem for each name in a filter that does not exist."""
    named = (
        ("framework", wanted.framework, Framework.slug),
        ("scenario", wanted.scenario, Scenario.slug),
        ("host", wanted.host, Host.name),
    )
    problems = [
        {"field": field, "detail": f"There is no {field} {name!r}."}
        for field, name, column in named
        if name is not None and session.scalar(select(column).where(column == name)) is None
    ]
    requester = wanted.requested_by
    if requester is not None and not _is_requester(session, requester, viewer):
        detail = f"{requester!r} is no member of this workspace and has not requested any run."
        problems.append({"field": "requested_by", "detail": detail})
    return problems


def _is_requester(session: Session, name: str, viewer: Viewer) -> bool:
    """Return whether a member of the viewer's workspace, or who requested a run, has this name."""
    if viewer.workspace is not None and find_member(session, viewer.workspace, name):
        return True
    return any(
        read_listed_rows(
            session,
            *_write_list(RunFilter(limit=1, purpose=purpose, requested_by=name), viewer),
        )
        for purpose in Purpose
    )


def list_runs(session: Session, run_ids: Collection[UUID]) -> Sequence[Run]:
    """Return these runs, newest first, with host and cells but without trials."""
    query = select(Run).options(*_IN_LISTS).where(Run.id.in_(run_ids))
    return _read_runs(session, query)


def list_named(session: Session, slugs: Collection[str], viewer: Viewer) -> Sequence[Run]:
    """Return runs of these slugs that the viewer sees listed, with host and cells, newest first."""
    query = select(Run).options(*_IN_LISTS)
    return _read_runs(session, query.where(Run.slug.in_(slugs), is_listed(viewer)))


def _read_runs(session: Session, query: Select[Run]) -> list[Run]:
    found = session.scalars(query.order_by(Run.created_at.desc(), Run.id.desc()))
    # A run that was deleted in the meantime has no cells.
    return [run for run in found if run.cells]


def _write_list(wanted: RunFilter, viewer: Viewer) -> tuple[str, dict[str, object]]:
    """Return the statement that selects the rows of a list, with its parameters.

    Members of a StrEnum and the limit are literals, so that partial indexes serve the statement.
    """
    conditions, parameters = _write_conditions(wanted, viewer)
    has_cells = []
    for table, slug in (("framework", wanted.framework), ("scenario", wanted.scenario)):
        if slug is not None:
            has_cells.append((table, _WITH_CELL_OF.format(table=table)))
            parameters[table] = slug
    if not has_cells or wanted.sort is not RunSort.NEWEST:
        conditions += [_HAS_CELL_OF.format(table=table) for table, _ in has_cells]
        return _write_sorted(conditions, wanted), parameters
    (table, has_cell), *others = has_cells
    conditions += [condition for _, condition in others]
    is_not_small, is_named = _IS_NAMED_OR_OLDER
    newest = (is_not_small, is_named.format(has_cell=has_cell))
    statement = _SELECT_NEWEST_OF.format(
        table=table,
        few=_FEW_RUNS,
        of_purpose=_IS_COMPARISON if wanted.purpose is Purpose.COMPARISON else "",
        sorted_runs=_write_sorted([*conditions, *_IS_NAMED], wanted),
        newest_runs=_write_sorted([*conditions, *newest], wanted),
    )
    return statement, parameters


def _write_conditions(wanted: RunFilter, viewer: Viewer) -> tuple[list[str], dict[str, object]]:
    """Return the conditions on the run alone, with their parameters."""
    listed, parameters = write_is_listed(viewer)
    conditions = [f"run.purpose = '{wanted.purpose}'", listed]
    for column, value in (("status", wanted.status), ("outcome", wanted.outcome)):
        if value is not None:
            conditions.append(f"run.{column} = '{value}'")
    if wanted.is_scheduled is not None:
        conditions.append("run.is_scheduled" if wanted.is_scheduled else "NOT run.is_scheduled")
    if wanted.requested_by is not None:
        conditions.append(_IS_REQUESTED_BY)
        parameters["requested_by"] = wanted.requested_by
        parameters["token_of"] = f"{wanted.requested_by} ("
    for name, bound, condition in (
        ("host", wanted.host, "run.host_id = (SELECT id FROM host WHERE name = %(host)s)"),
        ("since", wanted.since, "run.created_at >= %(since)s"),
        ("until", wanted.until, "run.created_at < %(until)s"),
    ):
        if bound is not None:
            conditions.append(condition)
            parameters[name] = bound
    if wanted.after is not None:
        key, direction = _ORDERS[wanted.sort]
        compare = "<" if direction == "DESC" else ">"
        conditions.append(f"({key}, run.id) {compare} (%(after_key)s, %(after_id)s)")
        parameters["after_key"], parameters["after_id"] = wanted.after
    return conditions, parameters


def _write_sorted(conditions: Sequence[str], wanted: RunFilter) -> str:
    key, direction = _ORDERS[wanted.sort]
    return _SELECT_SORTED.format(
        key=key, direction=direction, conditions=" AND ".join(conditions), limit=wanted.limit + 1
    )

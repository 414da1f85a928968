"""SQL for runs as lists show them. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload, selectinload

from backend.core.models import Cell, Framework, Host, Run, Scenario
from backend.core.people.access.viewer import Viewer
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
_SELECT_NEWEST = """
    SELECT run.id, run.created_at AS at FROM run
    WHERE {conditions} ORDER BY run.created_at DESC, run.id DESC LIMIT {limit}
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
    ({sorted_runs}) UNION ALL ({newest_runs}) ORDER BY at DESC, id DESC
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
_WITH_CELL_OF = (
    "EXISTS (SELECT FROM cell WHERE cell.run_id = run.id "
    "AND cell.{table}_id = (SELECT id FROM {table} WHERE slug = %({table})s))"
)


class ListedRow(NamedTuple):
    """The id of a row of a list, and the time by which the list is sorted."""

    id: UUID
    at: datetime


@dataclass(frozen=True)
class RunFilter:
    """Which runs a list contains.

    Attributes:
        limit: the number of runs on a page.
        is_scheduled: whether schedules started the runs; None for all.
        before: creation time and id of the last run of the previous page.
    """

    limit: int
    purpose: Purpose = Purpose.COMPARISON
    status: RunStatus | None = None
    outcome: RunOutcome | None = None
    framework: str | None = None
    scenario: str | None = None
    is_scheduled: bool | None = None
    before: tuple[datetime, UUID] | None = None


def list_newest(session: Session, wanted: RunFilter, viewer: Viewer) -> list[ListedRow]:
    """Return the runs of a page that the viewer sees listed, newest first.

    If there is a next page, its first run is the last one.
    """
    return read_listed_rows(session, *_write_list(wanted, viewer))


def read_listed_rows(
    session: Session, statement: str, parameters: Mapping[str, object]
) -> list[ListedRow]:
    """Return the rows of a statement that selects `id` and `at`."""
    rows = session.connection().exec_driver_sql(statement, dict(parameters))
    return [ListedRow(row.id, row.at) for row in rows]


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
    listed, parameters = write_is_listed(viewer)
    conditions = [f"run.purpose = '{wanted.purpose}'", listed]
    for column, value in (("status", wanted.status), ("outcome", wanted.outcome)):
        if value is not None:
            conditions.append(f"run.{column} = '{value}'")
    has_cells = []
    for table, slug in (("framework", wanted.framework), ("scenario", wanted.scenario)):
        if slug is not None:
            has_cells.append((table, _WITH_CELL_OF.format(table=table)))
            parameters[table] = slug
    if wanted.is_scheduled is not None:
        conditions.append("run.is_scheduled" if wanted.is_scheduled else "NOT run.is_scheduled")
    if wanted.before is not None:
        conditions.append("(run.created_at, run.id) < (%(before_at)s, %(before_id)s)")
        parameters["before_at"], parameters["before_id"] = wanted.before
    if not has_cells:
        return _write_newest(conditions, wanted), parameters
    (table, has_cell), *others = has_cells
    conditions += [condition for _, condition in others]
    is_not_small, is_named = _IS_NAMED_OR_OLDER
    newest = (is_not_small, is_named.format(has_cell=has_cell))
    statement = _SELECT_NEWEST_OF.format(
        table=table,
        few=_FEW_RUNS,
        of_purpose=_IS_COMPARISON if wanted.purpose is Purpose.COMPARISON else "",
        sorted_runs=_write_newest([*conditions, *_IS_NAMED], wanted),
        newest_runs=_write_newest([*conditions, *newest], wanted),
    )
    return statement, parameters


def _write_newest(conditions: Sequence[str], wanted: RunFilter) -> str:
    return _SELECT_NEWEST.format(conditions=" AND ".join(conditions), limit=wanted.limit + 1)

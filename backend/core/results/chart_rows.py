"""SQL for stored chart data of cells. Every function takes the caller's session."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.documents import Parameters
from backend.core.models import CellChart, CellSummary, Run
from backend.core.units import ProfileKind

_COLUMNS = [column.name for column in CellChart.__table__.columns]


class ChartableCell(NamedTuple):
    """A summarised cell with the properties that decide its charts.

    `has_seconds` is False if the seconds of its run were removed.
    """

    cell_id: UUID
    kind: ProfileKind
    parameters: Parameters
    has_seconds: bool


_CHARTABLE = select(
    CellSummary.cell_id, CellSummary.kind, CellSummary.parameters, Run.seconds_removed_at.is_(None)
).join(Run, Run.id == CellSummary.run_id)


def list_chartable(session: Session, cell_ids: Collection[UUID]) -> list[ChartableCell]:
    """Return those of the cells that are summarised."""
    query = _CHARTABLE.where(CellSummary.cell_id.in_(cell_ids))
    return [ChartableCell(*row) for row in session.execute(query)]


def list_chartable_of_run(session: Session, run_id: UUID) -> list[ChartableCell]:
    """Return the summarised cells of a run."""
    query = _CHARTABLE.where(CellSummary.run_id == run_id)
    return [ChartableCell(*row) for row in session.execute(query)]


def list_missing(session: Session, version: int, most: int) -> list[ChartableCell]:
    """Return summarised cells without chart data of this version."""
    query = _select_missing(version).limit(most)
    return [ChartableCell(*row) for row in session.execute(query)]


def list_missing_of_run(session: Session, version: int, run_id: UUID) -> list[ChartableCell]:
    """Return the summarised cells of a run without chart data of this version."""
    query = _select_missing(version).where(CellSummary.run_id == run_id)
    return [ChartableCell(*row) for row in session.execute(query)]


def list_stored(session: Session, cell_ids: Collection[UUID]) -> dict[UUID, CellChart]:
    """Return chart data of any version by cell id."""
    query = select(CellChart).where(CellChart.cell_id.in_(cell_ids))
    return {row.cell_id: row for row in session.scalars(query)}


def list_charts(
    session: Session, cell_ids: Collection[UUID], version: int
) -> dict[UUID, CellChart]:
    """Return chart data of this version by cell id."""
    query = select(CellChart).where(CellChart.cell_id.in_(cell_ids), CellChart.version == version)
    return {row.cell_id: row for row in session.scalars(query)}


def _select_missing(version: int) -> Select[UUID, ProfileKind, Parameters, bool]:
    current = (CellChart.cell_id == CellSummary.cell_id) & (CellChart.version == version)
    return _CHARTABLE.outerjoin(CellChart, current).where(CellChart.cell_id.is_(None))


def put_charts(session: Session, drawn: Sequence[CellChart]) -> None:
    """Store chart data, replacing older versions. Two processes may store the same rows."""
    if not drawn:
        return
    rows = [{name: getattr(chart, name) for name in _COLUMNS} for chart in drawn]
    command = insert(CellChart).values(rows)
    changed = {name: command.excluded[name] for name in _COLUMNS if name != "cell_id"}
    session.execute(command.on_conflict_do_update(index_elements=["cell_id"], set_=changed))

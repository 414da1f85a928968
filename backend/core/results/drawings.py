"""SQL for stored chart data of cells. Every function takes the caller's session."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.models import CellChart, CellSummary

_COLUMNS = [column.name for column in CellChart.__table__.columns]


class Drawable(NamedTuple):
    """A summarised cell with the properties that decide its charts."""

    cell_id: UUID
    kind: str
    parameters: Mapping[str, Any]


_DRAWABLE = select(CellSummary.cell_id, CellSummary.kind, CellSummary.parameters)


def list_drawable(session: Session, cell_ids: Collection[UUID]) -> list[Drawable]:
    """Return those of the cells that are summarised."""
    query = _DRAWABLE.where(CellSummary.cell_id.in_(cell_ids))
    return [Drawable(*row) for row in session.execute(query)]


def list_drawable_of(session: Session, run_id: UUID) -> list[Drawable]:
    """Return the summarised cells of a run."""
    query = _DRAWABLE.where(CellSummary.run_id == run_id)
    return [Drawable(*row) for row in session.execute(query)]


def list_drawings(
    session: Session, cell_ids: Collection[UUID], version: int
) -> dict[UUID, CellChart]:
    """Return chart data of this version by cell id."""
    query = select(CellChart).where(CellChart.cell_id.in_(cell_ids), CellChart.version == version)
    return {row.cell_id: row for row in session.scalars(query)}


def put_drawings(session: Session, drawn: Sequence[CellChart]) -> None:
    """Store chart data, replacing older versions. Two readers may store the same rows."""
    if not drawn:
        return
    rows = [{name: getattr(chart, name) for name in _COLUMNS} for chart in drawn]
    command = insert(CellChart).values(rows)
    changed = {name: command.excluded[name] for name in _COLUMNS if name != "cell_id"}
    session.execute(command.on_conflict_do_update(index_elements=["cell_id"], set_=changed))

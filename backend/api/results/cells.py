"""/cells: results to compare; /cells/{id}/latency: merged latencies of a cell."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.measurement.trials.schemas import Latency
from backend.api.measurement.trials.views import read_cell_latency
from backend.api.paging import Cursor, PageSize, decode_cursor, encode_cursor
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.comparisons.schemas import ListedResult
from backend.api.results.comparisons.views import listed_result
from backend.api.schemas import Name, Page
from backend.core.errors import NotFound
from backend.core.models import Cell
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository as comparison
from backend.core.runs import repository
from backend.core.runs.slug import is_slug
from backend.core.units import MAIN_METRICS

router = NounRouter(
    prefix="/cells",
    tags=["cells"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@dataclass(frozen=True)
class _CellFilter:
    """Which cells a list contains; see `list_candidates`."""

    framework: str | None
    scenario: str | None
    host: str | None
    run: str | None
    search: str | None
    before: tuple[datetime, UUID] | None
    limit: int


@router.get("", response_model=Page[ListedResult], responses=NOT_MODIFIED)
async def list_cells(
    responder: ResponderDep,
    framework: Name | None = None,
    scenario: Name | None = None,
    host: Name | None = None,
    run: Annotated[Name | None, Query(description="A run's slug, or a part of its title.")] = None,
    search: Annotated[
        Name | None,
        Query(
            description="Words, each a part of the framework's name, or of the run's title or slug."
        ),
    ] = None,
    cursor: Cursor = None,
    limit: PageSize = 20,
) -> Response:
    """Return the cells of ended runs that have a result, newest first."""
    if run is None and is_slug(search or ""):
        run, search = search, None
    before = decode_cursor(cursor) if cursor else None
    wanted = _CellFilter(framework, scenario, host, run, search, before, limit)
    return await responder.respond(_show_list, wanted)


def _show_list(session: Session, viewer: Viewer, wanted: _CellFilter) -> Page[ListedResult]:
    rows = comparison.list_candidates(
        session, **vars(wanted) | {"limit": wanted.limit + 1}, viewer=viewer
    )
    page = rows[: wanted.limit]
    last = page[-1].summary if len(rows) > wanted.limit else None
    estimates = comparison.list_estimates(
        session, [row.summary.cell_id for row in page], MAIN_METRICS
    )
    return Page(
        items=[listed_result(row, estimates.get(row.summary.cell_id, {})) for row in page],
        next=encode_cursor(last.at, last.cell_id) if last else None,
    )


CellId = Annotated[UUID, Path(examples=["0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"])]


@router.get("/{cell_id}/latency", response_model=Latency, responses=NOT_MODIFIED)
async def get_cell_latency(responder: ResponderDep, cell_id: CellId) -> Response:
    """Return the distribution over all succeeded trials, from their merged histograms."""
    return await responder.respond_in_turn(_show_latency, cell_id)


def _show_latency(session: Session, viewer: Viewer, cell_id: UUID) -> Latency:
    return read_cell_latency(session, _get_readable(session, viewer, cell_id).id)


def _get_readable(session: Session, viewer: Viewer, cell_id: UUID) -> Cell:
    """Return the cell, if the viewer may open its run; raises NotFound."""
    cell = repository.get_cell(session, cell_id)
    if not repository.may_open_run(session, cell.run_id, viewer):
        raise NotFound(f"There is no cell {str(cell_id)!r}.")
    return cell

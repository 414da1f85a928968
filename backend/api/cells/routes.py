"""/cells: results to compare; /cells/{id}: merged latencies of a cell, and latency over time."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from backend.api.comparisons.schemas import ListedResult
from backend.api.comparisons.views import listed_result
from backend.api.deps import ResourcesDep, ViewerDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.paging import decode_cursor, encode_cursor
from backend.api.process.pages import respond_with_page
from backend.api.schemas import Name, Page
from backend.api.stored.documents import DocumentReader, DocumentsDep
from backend.api.stored.responses import NOT_MODIFIED
from backend.api.trials.schemas import Latency, LatencyHeatMap
from backend.api.trials.views import read_cell_heat_map, read_cell_latency
from backend.core.access.permissions import Permission
from backend.core.access.viewer import Viewer
from backend.core.errors import NotFound
from backend.core.models import Cell, Run
from backend.core.results import repository as comparison
from backend.core.results.repository import CellRow
from backend.core.runs import repository
from backend.core.runs.removal import check_seconds
from backend.core.runs.slug import is_slug
from backend.core.stored_documents.subjects import of_cell
from backend.core.units import MAIN_METRICS

router = NounRouter(
    prefix="/cells",
    tags=["cells"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@router.get("", response_model=Page[ListedResult])
async def list_cells(
    resources: ResourcesDep,
    viewer: ViewerDep,
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
    cursor: Annotated[
        str | None, Query(description="The value of `next` in an earlier page.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Response:
    """Return the cells of ended runs that have a result, newest first."""
    if run is None and is_slug(search or ""):
        run, search = search, None
    find = partial(
        comparison.list_candidates,
        framework=framework,
        scenario=scenario,
        host=host,
        run=run,
        search=search,
        viewer=viewer,
        before=decode_cursor(cursor) if cursor else None,
        limit=limit + 1,
    )
    return await respond_with_page(
        resources, lambda session: _show_page(session, find(session), limit)
    )


def _show_page(session: Session, rows: Sequence[CellRow], limit: int) -> Page[ListedResult]:
    """Return the rows of a page; one more than `limit` means that there is a next page."""
    page = rows[:limit]
    last = page[-1].summary if len(rows) > limit else None
    estimates = comparison.list_estimates(
        session, [row.summary.cell_id for row in page], MAIN_METRICS
    )
    return Page(
        items=[listed_result(row, estimates.get(row.summary.cell_id, {})) for row in page],
        next=encode_cursor(last.at, last.cell_id) if last else None,
    )


CellId = Annotated[UUID, Path(examples=["0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"])]


@router.get("/{cell_id}/latency", response_model=Latency, responses=NOT_MODIFIED)
async def get_cell_latency(documents: DocumentsDep, cell_id: CellId) -> Response:
    """Return the distribution over all succeeded trials, from their merged histograms."""
    return await _respond(documents, cell_id, read_cell_latency)


@router.get(
    "/{cell_id}/heatmap", response_model=LatencyHeatMap, responses=NOT_MODIFIED | problems(410)
)
async def get_cell_heatmap(documents: DocumentsDep, cell_id: CellId) -> Response:
    """Return latency over time, summed over all succeeded trials. Warm-up seconds are negative."""
    return await _respond(documents, cell_id, _read_heat_map)


def _read_heat_map(session: Session, cell_id: UUID) -> LatencyHeatMap:
    check_seconds(session.get_one(Run, repository.get_cell(session, cell_id).run_id))
    return read_cell_heat_map(session, cell_id)


async def _respond(
    documents: DocumentReader, cell_id: UUID, read: Callable[[Session, UUID], BaseModel]
) -> Response:
    def compute(session: Session) -> BaseModel:
        return read(session, _find_readable(session, cell_id, documents.viewer).id)

    return await documents.respond(of_cell(cell_id), compute)


def _find_readable(session: Session, cell_id: UUID, viewer: Viewer) -> Cell:
    """Return the cell, if the caller may open its run; raises NotFound."""
    cell = repository.get_cell(session, cell_id)
    if not repository.may_open_run(session, cell.run_id, viewer):
        raise NotFound(f"There is no cell {str(cell_id)!r}.")
    return cell

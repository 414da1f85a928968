"""/cells: results to compare; /cells/{id}: merged latencies of a cell, and latency over time."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query

from backend.api.comparisons.schemas import ResultItem
from backend.api.comparisons.views import result_fields
from backend.api.deps import LargeRead, SessionDep, TrustedDep
from backend.api.http.problems import problems
from backend.api.paging import decode_cursor, encode_cursor
from backend.api.schemas import Name, Page
from backend.api.trials.schemas import Latency, LatencyHeatMap
from backend.api.trials.views import read_cell_heat_map, read_cell_latency
from backend.core.errors import NotFound
from backend.core.models import Cell
from backend.core.results import repository as comparison
from backend.core.runs import repository
from backend.core.runs.visibility import is_readable, list_listed, list_readable

router = APIRouter(prefix="/cells", tags=["cells"], responses=problems(404, 422))


@router.get("")
def list_cells(
    session: SessionDep,
    trusted: TrustedDep,
    framework: Name | None = None,
    scenario: Name | None = None,
    host: Name | None = None,
    run: Annotated[Name | None, Query(description="A run's slug.")] = None,
    cursor: Annotated[
        str | None, Query(description="The value of `next` in an earlier page.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Page[ResultItem]:
    """Return the cells of ended runs that have a result, newest first."""
    rows = comparison.list_candidates(
        session,
        framework=framework,
        scenario=scenario,
        host=host,
        run=run,
        visibilities=(list_listed if run is None else list_readable)(is_trusted=trusted),
        before=decode_cursor(cursor) if cursor else None,
        limit=limit + 1,
    )
    page = rows[:limit]
    last = page[-1].summary if len(rows) > limit else None
    return Page(
        items=[ResultItem.model_validate(result_fields(row)) for row in page],
        next=encode_cursor(last.at, last.cell_id) if last else None,
    )


def find_readable(
    session: SessionDep,
    cell_id: Annotated[UUID, Path(examples=["0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"])],
    trusted: TrustedDep,
) -> Cell:
    """Return the cell, if the caller may open its run; raises NotFound."""
    cell = repository.get_cell(session, cell_id)
    visibility = repository.get_visibility(session, cell.run_id)
    if not is_readable(visibility, is_trusted=trusted):
        raise NotFound(f"There is no cell {str(cell_id)!r}.")
    return cell


CellDep = Annotated[Cell, Depends(find_readable)]


@router.get("/{cell_id}/latency")
def get_cell_latency(session: SessionDep, cell: CellDep) -> Latency:
    """Return the distribution over all succeeded trials, from their merged histograms."""
    return read_cell_latency(session, cell.id)


@router.get("/{cell_id}/heatmap", dependencies=[LargeRead])
def get_cell_heatmap(session: SessionDep, cell: CellDep) -> LatencyHeatMap:
    """Return latency over time, summed over all succeeded trials. Warm-up seconds are negative."""
    return read_cell_heat_map(session, cell.id)

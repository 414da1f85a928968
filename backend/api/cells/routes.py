"""/cells/{id}/latency: a cell's trials merged."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from backend.api.deps import SessionDep, TrustedDep
from backend.api.schemas import problems
from backend.api.trials.schemas import Latency
from backend.api.trials.views import latency_out
from backend.core.errors import NotFound
from backend.core.measurements import repository as measurements
from backend.core.runs import repository

router = APIRouter(prefix="/cells", tags=["cells"], responses=problems(404, 422))


@router.get("/{cell_id}/latency")
def get_cell_latency(
    session: SessionDep,
    cell_id: Annotated[UUID, Path(examples=["0190f3c2-7b1e-7c3a-8f00-4a5b6c7d8e9f"])],
    trusted: TrustedDep,
) -> Latency:
    """The distribution over all succeeded trials: histograms merged, percentiles never averaged."""
    cell = repository.get_cell(session, cell_id)
    if not trusted and repository.is_private(session, cell.run_id):
        raise NotFound(f"There is no cell {str(cell_id)!r}.")
    trials = repository.list_succeeded(session, [cell.id])
    return latency_out(measurements.list_histograms(session, [trial.id for trial in trials]))

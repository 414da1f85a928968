"""/runs/{id}/ranking: who stands where, by one metric."""

from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.deps import LargeRead, SessionDep
from backend.api.http.problems import problems
from backend.api.rankings.schemas import Ranking
from backend.api.rankings.views import rank_run
from backend.api.runs.deps import RunDep
from backend.api.runs.views import run_out
from backend.api.schemas import Name
from backend.core.units import Metric

router = APIRouter(prefix="/runs", tags=["runs"], responses=problems(404, 422))


@router.get("/{run_id}/ranking", dependencies=[LargeRead])
def get_run_ranking(
    session: SessionDep,
    run: RunDep,
    metric: Annotated[
        Metric | None, Query(description="Default: the main metric of each kind of load.")
    ] = None,
    baseline: Annotated[
        Name | None,
        Query(description="The framework that ratios refer to. Default: the best."),
    ] = None,
) -> Ranking:
    """Return ranks in tie groups, ratios over a baseline, and the result in sentences."""
    return Ranking(groups=rank_run(run_out(session, run), metric, baseline))

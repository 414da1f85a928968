"""/runs/{id}/ranking: the results of a run, ranked by one metric."""

from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.deps import LargeRead, SessionDep
from backend.api.http.problems import problems
from backend.api.rankings.schemas import Ranking
from backend.api.rankings.views import rankings_out
from backend.api.runs.deps import RunDep
from backend.api.schemas import Name
from backend.core.run_results.service import read_rankings
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
        Query(description="The framework that ratios refer to. Default: the best of each group."),
    ] = None,
) -> Ranking:
    """Return ranks, ties, ratios to a baseline, and the sentences that describe them."""
    return rankings_out(read_rankings(session, run, metric, baseline))

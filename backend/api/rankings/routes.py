"""/runs/{id}/ranking: the results of a run, ranked by one metric."""

from typing import Annotated

from fastapi import Query, Response

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.rankings.schemas import Ranking
from backend.api.rankings.views import rankings_out
from backend.api.runs.deps import RunDocumentDep
from backend.api.schemas import Name
from backend.api.stored.responses import NOT_MODIFIED
from backend.core.access.permissions import Permission
from backend.core.run_results.service import read_rankings
from backend.core.units import Metric

router = NounRouter(
    prefix="/runs",
    tags=["runs"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@router.get("/{run_id}/ranking", response_model=Ranking, responses=NOT_MODIFIED)
async def get_run_ranking(
    document: RunDocumentDep,
    metric: Annotated[
        Metric | None, Query(description="Default: the main metric of each kind of load.")
    ] = None,
    baseline: Annotated[
        Name | None,
        Query(description="The framework that ratios refer to. Default: the best of each group."),
    ] = None,
) -> Response:
    """Return ranks, ties, ratios to a baseline, and the sentences that describe them."""
    return await document.respond(
        lambda session, run: rankings_out(read_rankings(session, run, metric, baseline))
    )

"""/runs/{id}/ranking: the results of a run, ranked by one metric."""

from typing import Annotated

from fastapi import Query, Response
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.rankings.schemas import Ranking
from backend.api.results.rankings.views import rankings_out
from backend.api.runs.deps import RunName, get_readable
from backend.api.schemas import Name
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.run_results.service import read_rankings
from backend.core.units import Metric

router = NounRouter(
    prefix="/runs",
    tags=["runs"],
    responses=problems(404, 422),
    dependencies=[needs(Permission.OPEN)],
)


@router.get("/{run_id}/ranking", response_model=Ranking, responses=NOT_MODIFIED)
async def get_run_ranking(
    responder: ResponderDep,
    run_id: RunName,
    metric: Annotated[
        Metric | None, Query(description="Default: the main metric of each kind of load.")
    ] = None,
    baseline: Annotated[
        Name | None,
        Query(description="The framework that ratios refer to. Default: the best of each group."),
    ] = None,
) -> Response:
    """Return ranks, ratios to a baseline, and the sentences that describe them."""
    return await responder.respond_in_turn(_show_ranking, run_id, metric, baseline)


def _show_ranking(
    session: Session, viewer: Viewer, name: str, metric: Metric | None, baseline: str | None
) -> Ranking:
    run = get_readable(session, viewer, name)
    return rankings_out(read_rankings(session, run, metric, baseline))

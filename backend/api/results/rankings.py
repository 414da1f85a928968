"""/runs/{id}/ranking: the results of a run, ranked by one metric."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field
from sqlalchemy.orm import Session

from backend.api.deps import needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.responder import NOT_MODIFIED, ResponderDep
from backend.api.results.comparisons.schemas import MetricRatioOut
from backend.api.results.comparisons.views import ratio_out
from backend.api.runs.deps import RunName, get_readable
from backend.api.schemas import Name
from backend.core.bodies import Schema
from backend.core.measurement.statistics.comparison import EQUIVALENCE_RATIO
from backend.core.people.access.permissions import Permission
from backend.core.people.access.viewer import Viewer
from backend.core.results.ranking.metric_words import find_words
from backend.core.results.run_results.rankings import GroupRanking
from backend.core.results.run_results.service import read_rankings
from backend.core.units import Metric


class RankedCell(Schema):
    cell_id: UUID
    rank: int | None = Field(
        description="1 + the number of better results (Holm-corrected). Null if the result is "
        "excluded, has fewer than three trials, has a value of 0, or is the only one."
    )
    equivalent: list[UUID] = Field(description="Cells that it is equivalent to.")
    undecided: list[UUID] = Field(description="Cells from which it cannot be told apart yet.")
    ratio: MetricRatioOut | None = Field(
        description="To the baseline. Null for the baseline itself, and if a value is 0. Interval "
        "and state allow for the number of pairs, like the ranks."
    )


class GroupRankingOut(Schema):
    """A group of cells, ranked by one metric."""

    group: str = Field(examples=["hello.rate-quick"], description="Key of the group.")
    metric: Metric
    title: str = Field(examples=["CPU per request"])
    baseline: UUID | None = Field(
        description="Id of the cell that ratios refer to. Default: the cell with the best estimate."
    )
    detectable_ratio: float = Field(
        1.0,
        description="Smallest ratio that the host can detect. Smaller ratios are never a "
        "difference. 1 if the host is not calibrated.",
    )
    margin_ratio: float = Field(
        EQUIVALENCE_RATIO,
        description="Results that differ by less than this factor are equivalent: 1.03 means ±3 %.",
    )
    sentences: list[str] = Field(
        examples=[["Vert.x (61 µs [60, 63]) and Quarkus (63 µs [61, 66]) are equivalent …"]],
        description="The result in sentences that claim no more than the statistics allow.",
    )
    cells: list[RankedCell] = Field(
        description="By rank, then estimate. Cells without a rank follow: first those with a "
        "result, then excluded ones, then those without a value."
    )


class Ranking(Schema):
    groups: list[GroupRankingOut]


def rankings_out(rankings: Sequence[GroupRanking]) -> Ranking:
    """Return the rankings of the groups of a run."""
    return Ranking(groups=[_ranking_out(ranking) for ranking in rankings])


def _ranking_out(ranking: GroupRanking) -> GroupRankingOut:
    ids = [result.cell.id for result in ranking.group.cells]
    baseline, words = ranking.baseline, find_words(ranking.metric)
    return GroupRankingOut(
        group=ranking.group.key,
        metric=ranking.metric,
        title=ranking.info.title,
        baseline=baseline.cell.id if baseline else None,
        detectable_ratio=ranking.ranking.detectable_ratio,
        margin_ratio=ranking.ranking.margin_ratio,
        sentences=list(ranking.sentences),
        cells=[
            RankedCell(
                cell_id=result.cell.id,
                rank=ranked.rank,
                equivalent=[ids[position] for position in ranked.equivalent],
                undecided=[ids[position] for position in ranked.undecided],
                ratio=ratio_out(ranked.ratio, words) if ranked.ratio else None,
            )
            for result, ranked in ranking.list_ranked()
        ],
    )


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

"""Rankings as the API shows them."""

from collections.abc import Sequence

from backend.api.results.comparisons.views import ratio_out
from backend.api.results.rankings.schemas import GroupRankingOut, RankedCell, Ranking
from backend.core.results.run_results.rankings import GroupRanking


def rankings_out(rankings: Sequence[GroupRanking]) -> Ranking:
    """Return the rankings of the groups of a run."""
    return Ranking(groups=[_ranking_out(ranking) for ranking in rankings])


def _ranking_out(ranking: GroupRanking) -> GroupRankingOut:
    ids = [result.cell.id for result in ranking.group.cells]
    baseline = ranking.baseline
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
                ratio=ratio_out(ranked.ratio) if ranked.ratio else None,
            )
            for result, ranked in ranking.list_ranked()
        ],
    )

"""Headlines of rankings: the metric, the best results, and how far the next is behind; pure."""

from collections.abc import Sequence

from backend.core.measurement.statistics.comparison import Comparison, PairState
from backend.core.numbers import join_choices, join_words
from backend.core.results.ranking.candidate_ranking import CandidateRanking, RankedCandidate
from backend.core.results.ranking.comparison_text import describe_lead
from backend.core.results.ranking.metric_words import find_words, lower_title
from backend.core.results.ranking.sentence import are_equivalent
from backend.core.units import METRICS, Metric, MetricInfo

# Further names are counted.
MOST_NAMED = 3


def describe_best(
    names: Sequence[str],
    total: int,
    info: MetricInfo,
    *,
    where: str = "",
    are_alike: bool = True,
    is_alone: bool = True,
    behind: Sequence[tuple[str, Comparison]] = (),
) -> str:
    """Return what these frameworks, out of `total`, are best at.

    `Node.js uses the least CPU per request in both loads, 2.3 to 2.7× less than Micronaut`, or if
    two cannot be told apart yet, `Vert.x or Quarkus uses the least CPU per request`.

    Args:
        where: such as `in both loads`.
        are_alike: whether these frameworks are known to be equivalent.
        is_alone: whether no other framework may be as good in any of these places.
        behind: the next result in each of these places, compared with the best.
    """
    words = find_words(info.metric)
    place = f" {where}" if where else ""
    if len(names) > MOST_NAMED:
        verb = "share" if are_alike else "may have"
        return f"{len(names)} of {total} results {verb} the best {lower_title(info.title)}{place}"
    if are_alike or len(names) == 1:
        text = f"{join_words(names)} {words.verb(len(names))} {words.best}{place}"
    else:
        text = f"{join_choices(names)} {words.one} {words.best}{place}"
    if not is_alone:
        return f"{text}, as far as the results can be told apart"
    lead = describe_lead(behind, words) if are_alike else None
    return f"{text}, {lead}" if lead else text


def find_next(ranked: Sequence[RankedCandidate]) -> tuple[str, Comparison] | None:
    """Return the best result that is known to be worse than the best one.

    Args:
        ranked: by rank.
    """
    for each in ranked:
        ratio = each.ratio
        if (each.rank or 0) > 1 and ratio and ratio.comparison.state is PairState.DIFFERENCE:
            return each.candidate.name, ratio.comparison
    return None


def make_ranking_headline(ranking: CandidateRanking, metric: Metric) -> str | None:
    """Return which results are the best, and by how much; None without a difference.

    `Vert.x uses the least CPU per request, 1.5× less than Node.js`
    """
    in_order = [ranking.candidates[position] for position in ranking.order]
    ranked = [each for each in in_order if each.rank is not None]
    firsts = [each for each in ranked if each.rank == 1]
    if len(firsts) in (0, len(ranked)):
        return None
    names = [each.candidate.name for each in firsts]
    following = find_next(ranked)
    return describe_best(
        names,
        len(ranked),
        METRICS[metric],
        are_alike=are_equivalent(firsts),
        behind=[following] if following else [],
    )

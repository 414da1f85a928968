"""Headlines of rankings, without figures; pure."""

from collections.abc import Sequence

from backend.core.numbers import agree, join_choices, join_words
from backend.core.results.ranking.candidate_ranking import CandidateRanking
from backend.core.results.ranking.sentence import are_equivalent, lower_title, name_superlative
from backend.core.units import METRICS, Metric, MetricInfo

# Further names are counted.
MOST_NAMED = 3
# Verbs and object for the best framework by a metric. Default: "has the lowest latency p99".
_PHRASES = {
    Metric.CPU_US_PER_REQUEST: ("needs", "need", "the least CPU per request"),
    Metric.SUSTAINED_RPS: ("sustains", "sustain", "the highest rate"),
}


def describe_best(
    names: Sequence[str],
    total: int,
    info: MetricInfo,
    *,
    where: str = "",
    are_alike: bool = True,
    is_alone: bool = True,
) -> str:
    """Return what these frameworks, out of `total`, are best at.

    Such as `Vert.x and Quarkus need the least CPU per request` if they are equivalent. If they
    cannot be told apart yet, `Vert.x or Quarkus needs the least CPU per request`.

    Args:
        where: such as `in both loads`.
        are_alike: whether these frameworks are known to be equivalent.
        is_alone: whether no other framework may be as good in any of these places.
    """
    title = f"the {name_superlative(info)} {lower_title(info.title)}"
    one, many, what = _PHRASES.get(info.metric, ("has", "have", title))
    place = f" {where}" if where else ""
    if len(names) > MOST_NAMED:
        verb = "share" if are_alike else f"may {many}"
        return f"{len(names)} of {total} results {verb} {what}{place}"
    if are_alike or len(names) == 1:
        text = f"{join_words(names)} {agree(len(names), one, many)} {what}{place}"
    else:
        text = f"{join_choices(names)} {one} {what}{place}"
    return text if is_alone else f"{text}, as far as the results can be told apart"


def name_best(info: MetricInfo) -> str:
    """Return `Least CPU per request` or `Lowest latency p99`, to begin a headline."""
    title = f"{name_superlative(info).capitalize()} {lower_title(info.title)}"
    if info.metric not in _PHRASES:
        return title
    what = _PHRASES[info.metric][2].removeprefix("the ")
    return what[0].upper() + what[1:]


def make_ranking_headline(ranking: CandidateRanking, metric: Metric) -> str | None:
    """Return which results are the best: `Vert.x needs the least CPU per request`.

    None if the ranking has no difference.
    """
    ranked = [each for each in ranking.candidates if each.rank is not None]
    firsts = [
        ranking.candidates[position]
        for position in ranking.order
        if ranking.candidates[position].rank == 1
    ]
    if len(firsts) in (0, len(ranked)):
        return None
    names = [each.candidate.name for each in firsts]
    return describe_best(names, len(ranked), METRICS[metric], are_alike=are_equivalent(firsts))

"""Describe what a run with a goal shows, without figures that later calibrations change; pure."""

from collections.abc import Sequence

from backend.core.numbers import agree, join_first, join_words
from backend.core.ranking.candidate_ranking import Candidate
from backend.core.ranking.comparison_text import format_margin
from backend.core.ranking.sentence import are_equivalent, lower_title, name_superlative
from backend.core.run_results.rankings import GroupRanking
from backend.core.statistics.comparison import PairState

# More names are counted.
_MOST_NAMED = 4


def describe_answer(ranking: GroupRanking) -> str:
    """Return which results are best, or that all are equivalent.

    `Go net/http has the lowest CPU per request`
    """
    ranked = [candidate for _, candidate in ranking.list_ranked() if candidate.rank]
    firsts = [candidate for candidate in ranked if candidate.rank == 1]
    names = join_first([candidate.candidate.name for candidate in firsts], _MOST_NAMED)
    info = ranking.info
    title = lower_title(info.title)
    are_alike = are_equivalent(firsts)
    if len(firsts) == len(ranked) and are_alike:
        margin = format_margin(ranking.ranking.instrument, is_share=info.is_share)
        return f"{names} are equivalent in {title}, within {margin}"
    if not are_alike:
        return f"{names} {PairState.UNDECIDED.words} in {title}"
    return f"{names} {agree(len(firsts), 'has', 'have')} the {name_superlative(info)} {title}"


def describe_obstacles(candidates: Sequence[Candidate]) -> list[str]:
    """Return why results cannot be judged: `Node.js is excluded (too many errors)`."""
    described = []
    for candidate in candidates:
        if candidate.excluded_by:
            reasons = join_words(candidate.excluded_by)
            described.append(f"{candidate.name} is excluded ({reasons})")
        elif candidate.estimate is None:
            described.append(f"{candidate.name} has no result")
    return described

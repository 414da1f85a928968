"""Rank results in tie groups from pairwise comparisons; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from backend.core.statistics.comparison import Comparison, Word
from backend.core.statistics.estimate import CONFIDENCE
from backend.core.statistics.multiple_tests import adjust_holm
from backend.core.units import Direction


@dataclass(frozen=True)
class Rank:
    """The rank of one of several results.

    Attributes:
        rank: 1 + the number of significantly better results.
        ties: positions of results that are not significantly different, or differ too little to
            matter. Ties are not transitive: the first may tie with the second and the second with
            the third, although the first is better than the third.
    """

    rank: int
    ties: tuple[int, ...]


def rank_in_tie_groups(
    count: int, compared: Mapping[tuple[int, int], Comparison], direction: Direction
) -> list[Rank]:
    """Return the ranks of `count` results from the comparisons of all pairs, Holm-corrected.

    Args:
        compared: the comparison of i with j by positions (i, j), i < j. A pair without a p-value
            ties.

    Raises:
        KeyError: a pair has no comparison.
    """
    pairs = list(combinations(range(count), 2))
    p_values = [1.0 if (p := compared[pair].p_value) is None else p for pair in pairs]
    significant = [
        pair
        for pair, p_value in zip(pairs, adjust_holm(p_values), strict=True)
        if p_value < 1 - CONFIDENCE and compared[pair].word is not Word.EQUIVALENT
    ]
    return rank_by_pairs(count, {pair: compared[pair].ratio for pair in significant}, direction)


def rank_by_pairs(
    count: int, different: Mapping[tuple[int, int], float], direction: Direction
) -> list[Rank]:
    """Return the ranks of `count` results; all pairs that are not `different` tie.

    Args:
        different: the ratio of i to j by positions (i, j).
    """
    worse: list[set[int]] = [set() for _ in range(count)]
    for (first, second), ratio in different.items():
        is_first_better = (ratio > 1) == (direction is Direction.HIGHER)
        better, other = (first, second) if is_first_better else (second, first)
        worse[better].add(other)
    return [
        Rank(
            rank=1 + sum(position in below for below in worse),
            ties=tuple(
                other
                for other in range(count)
                if other != position
                and other not in worse[position]
                and position not in worse[other]
            ),
        )
        for position in range(count)
    ]


def holds_among_all(word: Word, *, tied: bool) -> bool:
    """Return whether the word of a pair holds after the correction for all pairs.

    Of two results that tie, neither is faster or slower.
    """
    return not tied or word not in (Word.FASTER, Word.SLOWER)

"""Rank results in tie groups from pairwise comparisons; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from backend.core.statistics.comparison import Comparison, Word
from backend.core.statistics.estimate import CONFIDENCE
from backend.core.statistics.multiple_tests import find_holm_confidences

# Indices (i, j) of two results, i < j.
PairIndex = tuple[int, int]


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


def adjust_for_all_pairs(
    compared: Mapping[PairIndex, Comparison],
) -> dict[PairIndex, Comparison]:
    """Return the comparisons with intervals and words that allow for the number of pairs.

    The intervals agree with Holm's method; see `find_holm_confidences`. A word follows from its
    interval, so a rank never contradicts the interval of a ratio.
    """
    p_values = [1.0 if (p := found.p_value) is None else p for found in compared.values()]
    confidences = find_holm_confidences(p_values, 1 - CONFIDENCE)
    return {
        pair: found.at_confidence(confidence)
        for (pair, found), confidence in zip(compared.items(), confidences, strict=True)
    }


def rank_by_words(count: int, words: Mapping[PairIndex, Word]) -> list[Rank]:
    """Return the ranks of `count` results; pairs that are neither faster nor slower tie.

    Args:
        words: of i compared with j, by (i, j), i < j.

    Raises:
        KeyError: a pair has no word.
    """
    worse: list[set[int]] = [set() for _ in range(count)]
    for first, second in combinations(range(count), 2):
        word = words[first, second]
        if word is Word.FASTER:
            worse[first].add(second)
        elif word is Word.SLOWER:
            worse[second].add(first)
    return [
        Rank(
            rank=1 + sum(position in below for below in worse),
            ties=_list_ties(position, worse),
        )
        for position in range(count)
    ]


def _list_ties(position: int, worse: Sequence[set[int]]) -> tuple[int, ...]:
    return tuple(
        other
        for other in range(len(worse))
        if other != position and other not in worse[position] and position not in worse[other]
    )

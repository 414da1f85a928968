"""Rank results from pairwise comparisons; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from backend.core.measurement.statistics.comparison import Comparison, PairState
from backend.core.measurement.statistics.estimate import CONFIDENCE
from backend.core.measurement.statistics.multiple_tests import find_holm_confidences

# Indices (i, j) of two results, i < j.
PairIndex = tuple[int, int]


@dataclass(frozen=True)
class Rank:
    """The rank of one of several results.

    Attributes:
        rank: 1 + the number of better results.
        equivalent: positions of the results that it is equivalent to.
        undecided: positions of the results from which it cannot be told apart yet.
    """

    rank: int
    equivalent: tuple[int, ...]
    undecided: tuple[int, ...]


def adjust_for_all_pairs(
    compared: Mapping[PairIndex, Comparison],
) -> dict[PairIndex, Comparison]:
    """Return the comparisons with intervals and states that allow for the number of pairs.

    The intervals agree with Holm's method; see `find_holm_confidences`. A state follows from its
    interval, so a rank never contradicts the interval of a ratio.
    """
    p_values = [1.0 if (p := found.p_value) is None else p for found in compared.values()]
    confidences = find_holm_confidences(p_values, 1 - CONFIDENCE)
    return {
        pair: found.at_confidence(confidence)
        for (pair, found), confidence in zip(compared.items(), confidences, strict=True)
    }


def rank_by_pairs(count: int, compared: Mapping[PairIndex, Comparison | None]) -> list[Rank]:
    """Return the ranks of `count` results.

    Args:
        compared: i compared with j, by (i, j), i < j; None for a pair that was not compared yet.

    Raises:
        KeyError: a pair is missing.
    """
    better = [0] * count
    alike: dict[PairState, list[list[int]]] = {
        state: [[] for _ in range(count)] for state in PairState
    }
    for first, second in combinations(range(count), 2):
        found = compared[first, second]
        if found is not None and found.is_better is not None:
            better[second if found.is_better else first] += 1
            continue
        state = PairState.UNDECIDED if found is None else found.state
        alike[state][first].append(second)
        alike[state][second].append(first)
    return [
        Rank(
            rank=1 + better[position],
            equivalent=tuple(sorted(alike[PairState.EQUIVALENT][position])),
            undecided=tuple(sorted(alike[PairState.UNDECIDED][position])),
        )
        for position in range(count)
    ]

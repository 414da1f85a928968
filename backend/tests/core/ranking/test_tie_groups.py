"""Ranks that the statistics support."""

from itertools import combinations
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.ranking.tie_groups import (
    Rank,
    rank_in_tie_groups,
)
from backend.core.statistics.comparison import (
    Comparison,
    LogSummary,
    compare_independent,
    compare_summaries,
)
from backend.core.units import Direction


def compare_all(
    centres: list[float], spread: float = 0.01, direction: Direction = Direction.LOWER
) -> dict[tuple[int, int], Comparison]:
    """Compare cells of five trials with these centres."""
    trials = [[c * exp(spread * step) for step in (-1.0, -0.5, 0, 0.5, 1)] for c in centres]
    return {
        (i, j): compare_independent(trials[i], trials[j], direction)
        for i, j in combinations(range(len(centres)), 2)
    }


def ranks(centres: list[float], direction: Direction, spread: float = 0.01) -> list[int]:
    compared = compare_all(centres, spread, direction)
    return [item.rank for item in rank_in_tie_groups(len(centres), compared, direction)]


def test_results_that_are_not_significantly_different_share_a_rank() -> None:
    assert ranks([10, 10.05, 12, 20], Direction.LOWER) == [1, 1, 3, 4]
    assert ranks([10, 10.05, 12, 20], Direction.HIGHER) == [3, 3, 2, 1]
    assert ranks([10, 12, 20], Direction.LOWER, spread=0.5) == [1, 1, 1]


def test_a_significant_but_irrelevant_difference_is_a_tie() -> None:
    assert ranks([100, 101], Direction.LOWER, spread=0.0001) == [1, 1]


def test_ties_need_not_be_transitive() -> None:
    compared = compare_all([10, 10.3, 10.65], spread=0.03)

    assert rank_in_tie_groups(3, compared, Direction.LOWER) == [
        Rank(1, (1,)),
        Rank(1, (0, 2)),
        Rank(2, (1,)),
    ]


def test_more_rivals_make_the_same_difference_less_certain() -> None:
    near = [10, 10.6]

    assert ranks(near, Direction.LOWER, spread=0.03) == [1, 2]
    assert ranks([*near, *[10.3] * 8], Direction.LOWER, spread=0.03)[:2] == [1, 1]


def test_single_trials_are_not_ranked() -> None:
    compared = {(0, 1): compare_independent([1.0], [2.0], Direction.LOWER)}

    assert [item.rank for item in rank_in_tie_groups(2, compared, Direction.LOWER)] == [1, 1]


def test_results_without_a_comparison_are_not_ranked() -> None:
    compared = compare_all([1, 2, 3])
    del compared[0, 2]

    with pytest.raises(KeyError):
        rank_in_tie_groups(3, compared, Direction.LOWER)


def test_ranks_differ_by_chance_no_more_often_than_stated() -> None:
    """Simulation of six equal cells, which need 15 tests: ranks differ in at most 5 % of
    rankings."""
    random = np.random.default_rng(20261121)
    wrong = 0
    for _ in range(400):
        trials = np.exp(random.normal(0, 0.2, (6, 5))).tolist()
        compared = {
            (i, j): compare_independent(trials[i], trials[j], Direction.LOWER)
            for i, j in combinations(range(6), 2)
        }
        ranked = rank_in_tie_groups(6, compared, Direction.LOWER)
        wrong += any(item.rank > 1 for item in ranked)

    assert wrong / 400 <= 0.07


@given(st.lists(st.floats(0.5, 2), min_size=2, max_size=9))
def test_comparisons_of_summaries_match_those_of_their_trials(values: list[float]) -> None:
    logs = np.log(values)
    summary = LogSummary(len(logs), float(logs.mean()), float(logs.std(ddof=1)))
    other = [1.0, 1.1, 1.3]
    its = LogSummary(3, float(np.log(other).mean()), float(np.log(other).std(ddof=1)))

    one = compare_summaries(summary, its, Direction.LOWER)
    same = compare_independent(values, other, Direction.LOWER)

    assert one.word is same.word
    assert [one.ratio, one.low, one.high] == pytest.approx([same.ratio, same.low, same.high])
    assert one.p_value == pytest.approx(same.p_value, abs=1e-9)

"""Ranks that the statistics support."""

from itertools import combinations
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.core.measurement.statistics.comparison import (
    Comparison,
    Instrument,
    LogSummary,
    PairState,
    compare_independent,
    compare_summaries,
)
from backend.core.results.ranking.ranks import Rank, adjust_for_all_pairs, rank_by_pairs
from backend.core.units import Direction
from backend.tests.pair_states import judged


def compare_all(
    centres: list[float], spread: float = 0.01, direction: Direction = Direction.LOWER
) -> dict[tuple[int, int], Comparison]:
    """Compare cells of five trials with these centres."""
    trials = [[c * exp(spread * step) for step in (-1.0, -0.5, 0, 0.5, 1)] for c in centres]
    return {
        (i, j): compare_independent(trials[i], trials[j], direction)
        for i, j in combinations(range(len(centres)), 2)
    }


def rank_all(count: int, compared: dict[tuple[int, int], Comparison]) -> list[Rank]:
    adjusted = adjust_for_all_pairs(compared)
    return rank_by_pairs(count, adjusted)


def ranks(centres: list[float], direction: Direction, spread: float = 0.01) -> list[int]:
    compared = compare_all(centres, spread, direction)
    return [item.rank for item in rank_all(len(centres), compared)]


def test_results_that_are_not_known_to_differ_share_a_rank() -> None:
    assert ranks([10, 10.05, 12, 20], Direction.LOWER) == [1, 1, 3, 4]
    assert ranks([10, 10.05, 12, 20], Direction.HIGHER) == [3, 3, 2, 1]
    assert ranks([10, 12, 20], Direction.LOWER, spread=0.5) == [1, 1, 1]


def test_sharing_a_rank_need_not_be_transitive() -> None:
    compared = compare_all([10, 10.3, 10.65], spread=0.03)

    assert rank_all(3, compared) == [Rank(1, (), (1,)), Rank(1, (), (0, 2)), Rank(2, (), (1,))]


def test_ranks_differ_by_chance_no_more_often_than_stated() -> None:
    """Simulation of six equal cells, which need 15 tests: ranks differ in at most 5 % of
    rankings."""
    random = np.random.default_rng(20261121)
    wrong = 0
    for _ in range(200):
        trials = np.exp(random.normal(0, 0.2, (6, 5))).tolist()
        compared = {
            (i, j): compare_independent(trials[i], trials[j], Direction.LOWER)
            for i, j in combinations(range(6), 2)
        }
        ranked = rank_all(6, compared)
        wrong += any(item.rank > 1 for item in ranked)

    assert wrong / 200 <= 0.07


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(0.8, 1.3), min_size=4, max_size=4), min_size=3, max_size=6),
    st.sampled_from([Instrument(), Instrument(1.02), Instrument(1.0, 1.1)]),
)
def test_a_rank_never_contradicts_an_interval(
    trials: list[list[float]], instrument: Instrument
) -> None:
    count = len(trials)
    compared = {
        (i, j): compare_independent(trials[i], trials[j], Direction.LOWER, instrument)
        for i, j in combinations(range(count), 2)
    }

    adjusted = adjust_for_all_pairs(compared)
    ranked = rank_by_pairs(count, adjusted)

    for (i, j), found in adjusted.items():
        assert found.low is not None
        assert found.high is not None
        assert found.ratio is not None
        plain = compared[i, j]
        assert plain.low is not None
        assert found.low <= plain.low
        assert (j in ranked[i].equivalent) == (found.state is PairState.EQUIVALENT)
        assert (j in ranked[i].undecided) == (found.state is PairState.UNDECIDED)
        if found.state is PairState.DIFFERENCE:
            assert not found.low <= 1 <= found.high
            assert max(found.ratio, 1 / found.ratio) >= instrument.detectable_ratio
        elif found.state is PairState.UNDECIDED:
            assert found.low <= 1 <= found.high


@given(st.lists(st.floats(0.5, 2), min_size=3, max_size=9))
def test_comparisons_of_summaries_match_those_of_their_trials(values: list[float]) -> None:
    logs = np.log(values)
    summary = LogSummary(len(logs), float(logs.mean()), float(logs.std(ddof=1)))
    other = [1.0, 1.1, 1.3]
    its = LogSummary(3, float(np.log(other).mean()), float(np.log(other).std(ddof=1)))

    one = compare_summaries(summary, its, Direction.LOWER)
    same = compare_independent(values, other, Direction.LOWER)

    assert judged(one) == judged(same)
    assert [one.ratio, one.low, one.high] == pytest.approx([same.ratio, same.low, same.high])
    assert one.p_value == pytest.approx(same.p_value, abs=1e-9)

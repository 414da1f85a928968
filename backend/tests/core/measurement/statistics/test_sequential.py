"""When a run is certain: exact small cases, degenerate values and simulated error rates."""

from itertools import combinations, pairwise
from math import ceil, exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from backend.core.measurement.statistics.comparison import Instrument
from backend.core.measurement.statistics.sequential import Goal, GoalKind, SequentialState, judge
from backend.core.units import Metric
from backend.tests.core.measurement.statistics.intervals import interval_of
from backend.tests.pair_states import BETTER, EQUIVALENT, UNDECIDED, WORSE, Judgement, judged

CPU = Goal(GoalKind.RANKED, Metric.CPU_US_PER_REQUEST)
positive = st.floats(0.5, 2.0)


def make_values(
    ratios: list[float], size: int, seed: int, spread: float = 0.03
) -> list[list[float]]:
    """Return normal trials with these ratios, in blocks that also share a drift."""
    random = np.random.default_rng(seed)
    drift = random.normal(0, 0.5, size).cumsum()
    noise = random.normal(0, spread, (len(ratios), size))
    found: list[list[float]] = (np.array(ratios)[:, None] * np.exp(noise + drift)).tolist()
    return found


def words(state: SequentialState) -> list[Judgement]:
    return [judged(pair) for pair in state.pairs]


def stop(values: list[list[float]], most: int, goal: Goal = CPU) -> SequentialState:
    """Add block after block until the goal or the limit is reached."""
    for size in range(1, most):
        state = judge([item[:size] for item in values], goal, most)
        if state.is_reached:
            return state
    return judge([item[:most] for item in values], goal, most)


def test_a_run_of_three_blocks_is_tested_once_by_t_on_paired_logs() -> None:
    first, second = [1.30, 1.33, 1.28], [1.00, 1.01, 1.00]
    differences = np.log(first) - np.log(second)
    half_width = stats.t.ppf(1 - 0.04 / 2, 2) * stats.sem(differences)

    (pair,) = judge([first, second], CPU, max_blocks=3).pairs

    assert pair.ratio == pytest.approx(exp(differences.mean()))
    assert pair.low == pytest.approx(exp(differences.mean() - half_width))
    assert pair.high == pytest.approx(exp(differences.mean() + half_width))
    assert judged(pair) == WORSE


def test_equivalence_in_three_blocks_is_two_one_sided_tests_at_3_percent() -> None:
    first, second = [1.000, 1.002, 1.001], [1.000, 1.000, 1.001]
    differences = np.log(first) - np.log(second)
    half_width = stats.t.ppf(1 - 0.03, 2) * stats.sem(differences)

    (pair,) = judge([first, second], CPU, max_blocks=3).pairs

    assert judged(pair) == EQUIVALENT
    assert pair.high == pytest.approx(exp(differences.mean() + half_width))


def test_more_pairs_need_wider_intervals() -> None:
    values = make_values([1, 1.3, 1.3], 6, seed=1)

    low, high = interval_of(judge(values[:2], CPU, 10).pairs[0])
    wider_low, wider_high = interval_of(judge(values, CPU, 10).pairs[0])

    assert wider_low < low < high < wider_high


def test_a_run_is_certain_when_every_pair_is() -> None:
    state = stop(make_values([1.0, 1.0, 1.3], 40, seed=3), 40)

    assert state.is_reached
    assert words(state) == [EQUIVALENT, BETTER, BETTER]
    assert [(pair.first, pair.second) for pair in state.pairs] == [(0, 1), (0, 2), (1, 2)]
    assert state.blocks_needed == 0
    assert 3 <= state.blocks_done < 40


@pytest.mark.parametrize("size", [0, 1, 2])
def test_fewer_than_three_blocks_decide_nothing(size: int) -> None:
    state = judge([[1.0] * size, [9.0] * size], CPU, 10)

    assert not state.is_reached
    assert (state.blocks_done, state.blocks_needed) == (size, 3 - size)
    assert all(pair.low is None and judged(pair) == UNDECIDED for pair in state.pairs)


def test_values_without_variance_are_decided() -> None:
    (equal,) = judge([[5.0] * 3, [5.0] * 3], CPU, 10).pairs
    assert (equal.ratio, equal.low, equal.high, judged(equal)) == (1, 1, 1, EQUIVALENT)

    (less,) = judge([[5.0] * 3, [6.0] * 3], CPU, 10).pairs
    assert judged(less) == BETTER
    assert less.low == less.high == pytest.approx(5 / 6)


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_a_result_without_a_log_takes_no_part(bad: float) -> None:
    values = make_values([1.0, 1.3, 1.0], 5, seed=5)
    values[2][3] = bad

    state = judge(values, CPU, 10)

    assert state.untestable == (2,)
    assert [(pair.first, pair.second) for pair in state.pairs] == [(0, 1)]
    assert state.pairs == judge(values[:2], CPU, 10).pairs


@pytest.mark.parametrize("values", [[], [[1.0, 1.1, 1.2]], [[1.0] * 3, [0.0] * 3]])
def test_without_two_testable_results_there_is_no_ranking(values: list[list[float]]) -> None:
    state = judge(values, CPU, 10)

    assert not state.is_reached
    assert state.pairs == ()
    assert state.blocks_needed is None


def test_an_imprecise_host_widens_the_margin() -> None:
    values = make_values([1.0, 1.045], 20, seed=6, spread=0.002)

    assert words(judge(values, CPU, 20)) == [BETTER]
    assert words(judge(values, CPU, 20, Instrument(detectable_ratio=1.06))) == [EQUIVALENT]
    assert judge(values, CPU, 20, Instrument(detectable_ratio=1.01)).margin_ratio == 1.03


def test_an_error_of_the_instrument_widens_every_interval() -> None:
    values = make_values([1.0, 1.045], 20, seed=6, spread=0.002)

    (exact,) = judge(values, CPU, 20).pairs
    (found,) = judge(values, CPU, 20, Instrument(1.02)).pairs

    low, high = interval_of(exact)
    assert interval_of(found) == pytest.approx((low / 1.02, high * 1.02))
    assert judged(found) == BETTER


def test_no_number_of_blocks_removes_a_large_error_of_the_instrument() -> None:
    values = make_values([1.0, 1.045], 20, seed=6, spread=0.002)

    state = judge(values, CPU, 20, Instrument(1.06))

    assert words(state) == [UNDECIDED]
    assert state.blocks_needed is None


def test_a_difference_that_the_host_cannot_detect_is_not_decided() -> None:
    """Without the limit of the host, the interval would exclude 1."""
    values = make_values([1.0, 1.05], 20, seed=6, spread=0.004)

    (pair,) = judge(values, CPU, 20, Instrument(detectable_ratio=1.052)).pairs

    low, high = interval_of(pair)
    assert low < 1 < high
    assert judged(pair) == UNDECIDED
    assert judged(judge(values, CPU, 20).pairs[0]) == BETTER


def test_shares_are_judged_by_their_difference() -> None:
    success = Goal(GoalKind.RANKED, Metric.SUCCESS_RATIO)
    values = [[1.0, 1.0, 1.0, 0.99, 1.0, 1.0], [0.9, 0.91, 0.9, 0.92, 0.9, 0.91], [0.0] * 6]

    first, second, third = judge(values, success, 10).pairs

    assert first.ratio is None
    assert first.difference == pytest.approx(0.0917, abs=1e-4)
    assert [judged(first), judged(second), judged(third)] == [BETTER] * 3
    assert second.high == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_of_an_undecided_pair_shrinks_with_every_block(seed: int) -> None:
    values = make_values([1.0, 1.03], 12, seed)
    pairs = [judge([item[:size] for item in values], CPU, 12).pairs[0] for size in range(3, 13)]

    for before, after in pairwise(pairs):
        (low, high), (later_low, later_high) = interval_of(before), interval_of(after)
        assert after.ratio is not None
        assert later_low < after.ratio < later_high
        if judged(after) == UNDECIDED and low <= after.ratio <= high:
            assert low <= later_low
            assert later_high <= high


@settings(deadline=None)
@given(st.lists(st.tuples(positive, positive), min_size=3, max_size=12))
def test_swapped_results_have_the_inverse_ratio(pairs: list[tuple[float, float]]) -> None:
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    (found,), (swapped,) = (
        judge([first, second], CPU, 12).pairs,
        judge([second, first], CPU, 12).pairs,
    )

    assert found.ratio is not None
    assert swapped.ratio == pytest.approx(1 / found.ratio)
    assert swapped.high == pytest.approx(1 / interval_of(found)[0])
    opposite = {BETTER: WORSE, WORSE: BETTER}
    assert judged(swapped) == opposite.get(judged(found), judged(found))


def test_a_contradiction_leaves_the_last_interval() -> None:
    """The first blocks are at 1.5 with hardly any noise, and all later ones at 1."""
    ratios = [1.5, 1.501, 1.499, *[1.0] * 9]

    (pair,) = judge([ratios, [1.0] * 12], CPU, 12).pairs

    low, high = interval_of(pair)
    assert pair.ratio is not None
    assert low < pair.ratio < high
    assert judged(pair) == UNDECIDED


def test_precision_is_reached_when_every_result_is_precise() -> None:
    goal = Goal(GoalKind.PRECISION, Metric.CPU_US_PER_REQUEST, 5)
    precise, rough = [10.0, 10.1, 9.9, 10.0], [10.0, 14.0, 8.0, 11.0]

    assert judge([precise, precise], goal, 10).is_reached
    state = judge([precise, rough], goal, 10)

    assert [item.is_reached for item in state.precisions] == [True, False]
    assert not state.is_reached
    assert state.blocks_needed == state.precisions[1].blocks_needed


def test_the_estimated_blocks_suffice_in_about_four_of_five_cases() -> None:
    """A run of six blocks is too short for 1.06; the next has the estimated number."""
    tried = enough = 0
    for seed in range(40):
        values = make_values([1.0, 1.06], 48, seed=100 + seed)
        state = stop(values, 6)
        # In steps, because boundaries take time.
        total = 6 + 6 * ceil((state.blocks_needed or 0) / 6)
        if not state.is_reached and total <= 48:
            tried += 1
            enough += stop(values, total).is_reached

    assert tried > 10
    assert enough / tried > 0.7


def is_wrong(word: Judgement, ratio: float) -> bool:
    """Return whether a statement is wrong, given the true ratio, where a lower value is better."""
    if word is EQUIVALENT:
        return not 1 / 1.03 <= ratio <= 1.03
    return (word is BETTER and ratio >= 1) or (word is WORSE and ratio <= 1)


@pytest.mark.parametrize(
    ("ratios", "most", "spread"),
    [
        ([1.0, 1.0], 12, 0.03),
        ([1.0, 1.0, 1.0, 1.0], 12, 0.03),
        ([1.0, 1.0, 1.3], 12, 0.01),
        # Just beyond the margin, and measured precisely enough to seem equivalent.
        ([1.0, 1.0301], 12, 0.01),
    ],
)
def test_at_most_5_percent_of_runs_make_a_wrong_statement(
    ratios: list[float], most: int, spread: float
) -> None:
    true = [a / b for a, b in combinations(ratios, 2)]
    wrong = 0
    for seed in range(200):
        state = stop(make_values(ratios, most, seed, spread), most)
        pairs = zip(state.pairs, true, strict=True)
        wrong += any(is_wrong(judged(pair), ratio) for pair, ratio in pairs)

    # 5 % and two standard errors of the simulation.
    assert wrong / 200 <= 0.08

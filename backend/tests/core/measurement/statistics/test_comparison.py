"""Comparisons against scipy and simulation."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from backend.core.measurement.statistics.comparison import (
    Comparison,
    Instrument,
    PairState,
    compare_independent,
    compare_independent_shares,
    compare_pairs,
    compare_share_pairs,
)
from backend.core.measurement.statistics.power import find_power
from backend.core.units import Direction
from backend.tests.core.measurement.statistics.intervals import interval_of
from backend.tests.pair_states import BETTER, EQUIVALENT, UNDECIDED, WORSE, Judgement, judged

sized = st.floats(0.5, 2.0)


@given(st.lists(st.tuples(sized, sized), min_size=3, max_size=30))
def test_paired_trials_match_the_test_of_scipy_on_logs(pairs: list[tuple[float, float]]) -> None:
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    differences = np.log(first) - np.log(second)
    half_width = stats.t.ppf(0.975, len(pairs) - 1) * stats.sem(differences)

    found = compare_pairs(first.tolist(), second.tolist(), Direction.LOWER)

    assert found.ratio == pytest.approx(exp(differences.mean()))
    assert found.low == pytest.approx(exp(differences.mean() - half_width))
    assert found.high == pytest.approx(exp(differences.mean() + half_width))


@given(st.lists(sized, min_size=3, max_size=20), st.lists(sized, min_size=3, max_size=20))
def test_independent_trials_match_the_test_of_welch_on_logs(
    first: list[float], second: list[float]
) -> None:
    assume(min(np.std(np.log(first)), np.std(np.log(second))) > 1e-6)
    welch = stats.ttest_ind(np.log(first), np.log(second), equal_var=False)
    interval = welch.confidence_interval(0.95)

    found = compare_independent(first, second, Direction.LOWER)

    assert found.low == pytest.approx(exp(interval.low), rel=1e-6)
    assert found.high == pytest.approx(exp(interval.high), rel=1e-6)


@pytest.mark.parametrize(
    ("ratio", "spread", "direction", "word"),
    [
        (1.10, 0.001, Direction.LOWER, WORSE),
        (1.10, 0.001, Direction.HIGHER, BETTER),
        (0.90, 0.001, Direction.LOWER, BETTER),
        (0.90, 0.001, Direction.HIGHER, WORSE),
        (1.10, 0.2, Direction.LOWER, UNDECIDED),
        (1.00, 0.001, Direction.LOWER, EQUIVALENT),
        # Significant, but too small to matter.
        (1.02, 0.001, Direction.LOWER, EQUIVALENT),
        (1.00, 0.05, Direction.LOWER, UNDECIDED),
    ],
)
def test_words(ratio: float, spread: float, direction: Direction, word: Judgement) -> None:
    second = [10.0] * 5
    first = [10 * ratio * exp(spread * step) for step in (-1.0, -0.5, 0.0, 0.5, 1.0)]

    assert judged(compare_pairs(first, second, direction)) == word
    assert judged(compare_independent(first, second, direction)) == word


@pytest.mark.parametrize(("shift", "freedom"), [(0.5, 1), (2.0, 4), (5.0, 9), (1.0, 8.3)])
def test_power_matches_the_noncentral_t_of_scipy(shift: float, freedom: float) -> None:
    limit = stats.t.ppf(0.975, freedom)
    power = stats.nct.sf(limit, freedom, shift) + stats.nct.cdf(-limit, freedom, shift)

    assert find_power(exp(shift), 1.0, freedom) == pytest.approx(power, abs=1e-3)


def test_the_p_value_matches_scipy() -> None:
    first, second = [1.0, 1.2, 1.1, 1.05], [1.1, 1.3, 1.35, 1.2, 1.15]
    welch = stats.ttest_ind(np.log(first), np.log(second), equal_var=False)
    paired = stats.ttest_rel(np.log(first), np.log(second[:4]))

    found = compare_independent(first, second, Direction.LOWER)

    assert found.p_value == pytest.approx(welch.pvalue)
    assert compare_pairs(first, second[:4], Direction.LOWER).p_value == pytest.approx(paired.pvalue)
    assert compare_pairs([2.0] * 3, [1.0] * 3, Direction.LOWER).p_value == 0
    assert compare_pairs([1.0] * 3, [1.0] * 3, Direction.LOWER).p_value == 1


def compare_with_error(ratio: float, instrument_ratio: float) -> Comparison:
    """Compare five pairs whose ratio has an interval of about ±1.2 %."""
    first = [10 * ratio * exp(0.01 * step) for step in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    return compare_pairs(first, [10.0] * 5, Direction.LOWER, Instrument(instrument_ratio))


def test_the_instruments_error_widens_the_interval_on_both_sides() -> None:
    exact, widened = compare_with_error(1.1, 1), compare_with_error(1.1, 1.05)

    low, high = interval_of(exact)
    assert widened.ratio == exact.ratio
    assert interval_of(widened) == pytest.approx((low / 1.05, high * 1.05))


@pytest.mark.parametrize(
    ("ratio", "instrument_ratio", "word"),
    [
        (1.10, 1.00, WORSE),
        (1.10, 1.05, WORSE),
        (1.10, 1.10, UNDECIDED),
        (1.10, 2.00, UNDECIDED),
        (0.90, 1.15, UNDECIDED),
        (1.00, 1.00, EQUIVALENT),
        (1.00, 1.01, EQUIVALENT),
        (1.00, 1.05, UNDECIDED),
    ],
)
def test_a_difference_within_the_instruments_error_is_not_decided(
    ratio: float, instrument_ratio: float, word: Judgement
) -> None:
    found = compare_with_error(ratio, instrument_ratio)

    assert judged(found) == word
    assert found.p_value is not None
    assert (found.p_value < 0.05) == (word in (BETTER, WORSE))


def test_without_noise_the_instruments_error_alone_decides() -> None:
    found = compare_pairs([11.0] * 3, [10.0] * 3, Direction.LOWER, Instrument(1.2))

    assert (found.p_value, found.trials_needed, judged(found)) == (1.0, None, UNDECIDED)
    beyond = compare_pairs([13.0] * 3, [10.0] * 3, Direction.LOWER, Instrument(1.2))
    assert (beyond.p_value, judged(beyond)) == (0.0, WORSE)


def test_the_power_allows_for_the_instruments_error() -> None:
    error, freedom = 0.01, 8

    assert find_power(1.05, error, freedom, log(1.02)) == pytest.approx(
        find_power(1.05 / 1.02, error, freedom), abs=1e-3
    )
    assert find_power(1.05, error, freedom, log(1.05)) == pytest.approx(0.025, abs=1e-3)
    assert find_power(1.05, error, freedom, log(1.2)) < 1e-6


STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    ("ratio", "detectable_ratio", "word"),
    [
        (1.05, 1.00, WORSE),
        (1.05, 1.04, WORSE),
        (1.05, 1.06, UNDECIDED),
        (0.95, 1.06, UNDECIDED),
        (1.05, 1.10, EQUIVALENT),
        (1.20, 1.10, WORSE),
    ],
)
def test_an_estimate_that_the_host_cannot_detect_shows_no_order(
    ratio: float, detectable_ratio: float, word: Judgement
) -> None:
    first = [10 * ratio * exp(0.01 * step) for step in STEPS]
    instrument = Instrument(detectable_ratio=detectable_ratio)

    found = compare_pairs(first, [10.0] * 5, Direction.LOWER, instrument)

    assert judged(found) == word
    assert instrument.margin_ratio == max(1.03, detectable_ratio)
    if word == UNDECIDED:
        # The range that is still possible contains 1, although the noise of the trials is small.
        low, high = interval_of(found)
        assert low < 1 < high


@pytest.mark.parametrize("size", [1, 2])
def test_fewer_than_three_trials_have_no_interval(size: int) -> None:
    for compare in (compare_pairs, compare_independent):
        found = compare([2.0] * size, [1.0] * size, Direction.LOWER)
        assert found.ratio == pytest.approx(2.0)
        assert (found.low, found.high, found.p_value) == (None, None, None)
        assert (judged(found), found.trials_needed) == (UNDECIDED, 3)


def test_an_interval_of_higher_confidence_is_wider_and_may_decide_nothing() -> None:
    found = compare_with_error(1.02, 1)
    strict = found.at_confidence(0.999)

    (low, high), (strict_low, strict_high) = interval_of(found), interval_of(strict)
    assert strict_low < 1 < low < high < strict_high
    assert strict.ratio == found.ratio
    assert judged(strict) == UNDECIDED


def test_the_inverse_compares_the_second_with_the_first() -> None:
    first, second = [1.1, 1.3, 1.2, 1.25], [1.0, 1.0, 1.05, 0.95]

    found = compare_pairs(first, second, Direction.LOWER).invert()
    other = compare_pairs(second, first, Direction.LOWER)

    assert found.ratio == pytest.approx(other.ratio)
    assert [found.low, found.high] == pytest.approx([other.low, other.high])
    assert judged(found) == judged(other) == BETTER
    again = found.at_confidence(0.9)
    assert [again.low, again.high] == pytest.approx(
        [other.at_confidence(0.9).low, other.at_confidence(0.9).high]
    )


def test_shares_are_compared_by_their_difference() -> None:
    first, second = [0.80, 0.82, 0.84, 0.81], [0.99, 0.98, 1.0, 0.99]
    paired = stats.ttest_rel(first, second).confidence_interval(0.95)
    welch = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)

    for found, interval in (
        (compare_share_pairs(first, second, Direction.HIGHER), paired),
        (compare_independent_shares(first, second, Direction.HIGHER), welch),
    ):
        assert found.ratio is None
        assert found.difference == pytest.approx(-0.1725)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
        assert judged(found) == WORSE
        assert found.invert().difference == pytest.approx(0.1725)
        assert judged(found.invert()) == BETTER


def test_shares_of_zero_can_be_compared_and_equal_shares_are_equivalent() -> None:
    found = compare_share_pairs([0.0] * 3, [0.9, 1.0, 0.5], Direction.HIGHER)

    assert interval_of(found)[0] >= -1
    assert judged(compare_share_pairs([1.0] * 3, [1.0] * 3, Direction.HIGHER)) == EQUIVALENT
    slightly = compare_share_pairs([0.97] * 3, [1.0] * 3, Direction.HIGHER)
    assert judged(slightly) == WORSE


@pytest.mark.parametrize(("more", "seed"), [(1.04, 1), (1.08, 2), (1.0, 3)])
def test_the_estimated_number_of_trials_decides_in_most_cases(more: float, seed: int) -> None:
    """Simulation with the true difference and noise as estimated: 80 % are decided."""
    steps = np.array(STEPS) * 0.1
    found = compare_pairs((more * np.exp(steps)).tolist(), [1.0] * len(steps), Direction.LOWER)
    assert found.trials_needed is not None
    random = np.random.default_rng(seed)
    noise = float(np.std(steps, ddof=1))
    decided = 0
    for _ in range(1000):
        values = more * np.exp(random.normal(0, noise, found.trials_needed))
        again = compare_pairs(values.tolist(), [1.0] * len(values), Direction.LOWER)
        decided += again.state is not PairState.UNDECIDED

    assert judged(found) == UNDECIDED
    # The estimate counts only the more likely of the two decisions.
    assert 0.55 < decided / 1000 < 0.95


def test_no_number_of_trials_decides_a_difference_at_the_margin() -> None:
    ratio = 1.05
    first = [ratio * exp(0.02 * step) for step in STEPS]

    found = compare_pairs(first, [1.0] * 5, Direction.LOWER, Instrument(1.06))

    assert judged(found) == UNDECIDED
    assert found.trials_needed is None

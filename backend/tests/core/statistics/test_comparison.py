"""Comparisons against scipy and simulation."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from backend.core.statistics.comparison import (
    Comparison,
    Instrument,
    Word,
    compare_independent,
    compare_independent_shares,
    compare_pairs,
    compare_share_pairs,
)
from backend.core.statistics.power import find_power
from backend.core.units import Direction

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
        (1.10, 0.001, Direction.LOWER, Word.SLOWER),
        (1.10, 0.001, Direction.HIGHER, Word.FASTER),
        (0.90, 0.001, Direction.LOWER, Word.FASTER),
        (0.90, 0.001, Direction.HIGHER, Word.SLOWER),
        (1.10, 0.2, Direction.LOWER, Word.INCONCLUSIVE),
        (1.00, 0.001, Direction.LOWER, Word.EQUIVALENT),
        # Significant, but too small to matter.
        (1.02, 0.001, Direction.LOWER, Word.EQUIVALENT),
        (1.00, 0.05, Direction.LOWER, Word.INCONCLUSIVE),
    ],
)
def test_words(ratio: float, spread: float, direction: Direction, word: Word) -> None:
    second = [10.0] * 5
    first = [10 * ratio * exp(spread * step) for step in (-1.0, -0.5, 0.0, 0.5, 1.0)]

    assert compare_pairs(first, second, direction).word is word
    assert compare_independent(first, second, direction).word is word


def test_one_trial_is_inconclusive() -> None:
    for found in (
        compare_pairs([2.0], [1.0], Direction.LOWER),
        compare_independent([2.0], [1.0, 1.0], Direction.LOWER),
    ):
        assert found.ratio == pytest.approx(2.0)
        assert (found.low, found.power) == (None, None)
        assert found.word is Word.INCONCLUSIVE


def test_pairs_need_equal_numbers_of_trials() -> None:
    with pytest.raises(ValueError, match="equal numbers of trials: 2 and 1"):
        compare_pairs([1.0, 2.0], [1.0], Direction.LOWER)


@pytest.mark.parametrize(("n", "deviation"), [(5, 0.02), (5, 0.05), (10, 0.05)])
def test_power_matches_a_simulation(n: int, deviation: float) -> None:
    random = np.random.default_rng(20261120)
    found = 0
    for _ in range(4000):
        differences = random.normal(log(1.05), deviation, n)
        low, high = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
        found += bool(low > 0 or high < 0)

    assert find_power(1.05, deviation / sqrt(n), n - 1) == pytest.approx(found / 4000, abs=0.03)


@pytest.mark.parametrize(("shift", "freedom"), [(0.5, 1), (2.0, 4), (5.0, 9), (1.0, 8.3)])
def test_power_matches_the_noncentral_t_of_scipy(shift: float, freedom: float) -> None:
    limit = stats.t.ppf(0.975, freedom)
    power = stats.nct.sf(limit, freedom, shift) + stats.nct.cdf(-limit, freedom, shift)

    assert find_power(exp(shift), 1.0, freedom) == pytest.approx(power, abs=1e-3)


def test_a_difference_far_beyond_the_noise_has_a_power_of_1() -> None:
    assert find_power(1.10, 1e-4, 3) == pytest.approx(1.0)


def test_equal_cells_differ_significantly_in_at_most_five_percent() -> None:
    """A/A simulation: 5 % of intervals exclude 1; those within ±3 % are still equivalent."""
    random = np.random.default_rng(20261120)
    words = []
    for _ in range(4000):
        first, second = np.exp(random.normal(0, 0.05, (2, 5))).tolist()
        words.append(compare_pairs(first, second, Direction.LOWER).word)

    wrong = sum(word in {Word.FASTER, Word.SLOWER} for word in words)
    assert 0.03 < wrong / len(words) < 0.065


def test_the_p_value_matches_scipy() -> None:
    first, second = [1.0, 1.2, 1.1, 1.05], [1.1, 1.3, 1.35, 1.2, 1.15]
    welch = stats.ttest_ind(np.log(first), np.log(second), equal_var=False)
    paired = stats.ttest_rel(np.log(first), np.log(second[:4]))

    found = compare_independent(first, second, Direction.LOWER)

    assert found.p_value == pytest.approx(welch.pvalue)
    assert compare_pairs(first, second[:4], Direction.LOWER).p_value == pytest.approx(paired.pvalue)
    assert compare_pairs([2.0] * 3, [1.0] * 3, Direction.LOWER).p_value == 0
    assert compare_pairs([1.0] * 3, [1.0] * 3, Direction.LOWER).p_value == 1


def test_the_equivalence_ratio_is_the_margin_that_just_holds_the_interval() -> None:
    found = compare_pairs([1.0, 1.02, 0.97], [1.0, 1.0, 1.0], Direction.LOWER)

    assert found.low is not None
    assert found.high is not None
    margin = found.equivalence_ratio
    assert margin == max(found.high, 1 / found.low)
    assert compare_pairs([1.0], [1.0], Direction.LOWER).equivalence_ratio is None


def compare_with_error(ratio: float, instrument_ratio: float) -> Comparison:
    """Compare five pairs whose ratio has an interval of about ±1.2 %."""
    first = [10 * ratio * exp(0.01 * step) for step in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    return compare_pairs(first, [10.0] * 5, Direction.LOWER, Instrument(instrument_ratio))


def test_the_instruments_error_widens_the_interval_on_both_sides() -> None:
    exact, widened = compare_with_error(1.1, 1), compare_with_error(1.1, 1.05)

    assert exact.low is not None
    assert exact.high is not None
    assert widened.ratio == exact.ratio
    assert widened.low == pytest.approx(exact.low / 1.05)
    assert widened.high == pytest.approx(exact.high * 1.05)


@pytest.mark.parametrize(
    ("ratio", "instrument_ratio", "word"),
    [
        (1.10, 1.00, Word.SLOWER),
        (1.10, 1.05, Word.SLOWER),
        (1.10, 1.10, Word.INCONCLUSIVE),
        (1.10, 2.00, Word.INCONCLUSIVE),
        (0.90, 1.15, Word.INCONCLUSIVE),
        (1.00, 1.00, Word.EQUIVALENT),
        (1.00, 1.01, Word.EQUIVALENT),
        (1.00, 1.05, Word.INCONCLUSIVE),
    ],
)
def test_a_difference_within_the_instruments_error_is_inconclusive(
    ratio: float, instrument_ratio: float, word: Word
) -> None:
    found = compare_with_error(ratio, instrument_ratio)

    assert found.word is word
    assert found.p_value is not None
    assert (found.p_value < 0.05) == (word in (Word.FASTER, Word.SLOWER))


def test_without_noise_the_instruments_error_alone_decides() -> None:
    found = compare_pairs([11.0] * 3, [10.0] * 3, Direction.LOWER, Instrument(1.2))

    assert (found.p_value, found.power, found.word) == (1.0, 0.0, Word.INCONCLUSIVE)
    beyond = compare_pairs([13.0] * 3, [10.0] * 3, Direction.LOWER, Instrument(1.2))
    assert (beyond.p_value, beyond.word) == (0.0, Word.SLOWER)


def test_few_services_at_the_limit_of_the_error_are_called_different() -> None:
    """A true ratio equal to the instrument's error is found in at most 5 % of cases."""
    random = np.random.default_rng(20261123)
    found = 0
    for _ in range(2000):
        first, second = np.exp(random.normal((log(1.05), 0), 0.02, (5, 2))).T.tolist()
        compared = compare_pairs(first, second, Direction.LOWER, Instrument(1.05))
        found += compared.p_value is not None and compared.p_value < 0.05
    assert 0.01 < found / 2000 <= 0.05


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
        (1.05, 1.00, Word.SLOWER),
        (1.05, 1.04, Word.SLOWER),
        (1.05, 1.06, Word.INCONCLUSIVE),
        (0.95, 1.06, Word.INCONCLUSIVE),
        (1.05, 1.10, Word.EQUIVALENT),
        (1.20, 1.10, Word.SLOWER),
    ],
)
def test_a_difference_that_the_host_cannot_detect_is_neither_faster_nor_slower(
    ratio: float, detectable_ratio: float, word: Word
) -> None:
    first = [10 * ratio * exp(0.01 * step) for step in STEPS]
    instrument = Instrument(detectable_ratio=detectable_ratio)

    found = compare_pairs(first, [10.0] * 5, Direction.LOWER, instrument)

    assert found.word is word
    assert instrument.margin_ratio == max(1.03, detectable_ratio)


@pytest.mark.parametrize("size", [1, 2])
def test_fewer_than_three_trials_have_no_interval(size: int) -> None:
    for compare in (compare_pairs, compare_independent):
        found = compare([2.0] * size, [1.0] * size, Direction.LOWER)
        assert found.ratio == pytest.approx(2.0)
        assert (found.low, found.high, found.p_value) == (None, None, None)
        assert found.word is Word.INCONCLUSIVE


def test_an_interval_of_higher_confidence_is_wider_and_may_decide_nothing() -> None:
    found = compare_with_error(1.02, 1)
    strict = found.at_confidence(0.999)

    assert found.low is not None
    assert found.high is not None
    assert strict.low is not None
    assert strict.high is not None
    assert strict.low < found.low < found.high < strict.high
    assert (strict.ratio, strict.power) == (found.ratio, found.power)
    assert found.low > 1 > strict.low
    assert strict.word is Word.INCONCLUSIVE


def test_the_inverse_compares_the_second_with_the_first() -> None:
    first, second = [1.1, 1.3, 1.2, 1.25], [1.0, 1.0, 1.05, 0.95]

    found = compare_pairs(first, second, Direction.LOWER).invert()
    other = compare_pairs(second, first, Direction.LOWER)

    assert found.ratio == pytest.approx(other.ratio)
    assert [found.low, found.high] == pytest.approx([other.low, other.high])
    assert found.word is other.word is Word.FASTER
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
        assert found.power is None
        assert found.difference == pytest.approx(-0.1725)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
        assert found.word is Word.SLOWER
        assert found.invert().difference == pytest.approx(0.1725)
        assert found.invert().word is Word.FASTER


def test_shares_of_zero_can_be_compared_and_equal_shares_are_equivalent() -> None:
    found = compare_share_pairs([0.0] * 3, [0.9, 1.0, 0.5], Direction.HIGHER)

    assert found.low is not None
    assert found.low >= -1
    assert compare_share_pairs([1.0] * 3, [1.0] * 3, Direction.HIGHER).word is Word.EQUIVALENT
    slightly = compare_share_pairs([0.97] * 3, [1.0] * 3, Direction.HIGHER)
    assert slightly.word is Word.SLOWER

"""Ranges of a wanted precision, against exact cases and simulation."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from backend.core.measurement.statistics.precision import measure_precision
from backend.core.units import Aggregation

GEOMETRIC, ARITHMETIC = Aggregation.GEOMETRIC, Aggregation.ARITHMETIC


def test_the_interval_is_that_of_a_t_test_on_logs_at_97_5_percent() -> None:
    values = [9.0, 10.0, 11.0, 10.5]
    logs = np.log(values)
    half = stats.t.ppf(0.9875, 3) * stats.sem(logs)

    found = measure_precision(values, GEOMETRIC, 20)

    assert found.centre == pytest.approx(exp(logs.mean()))
    assert found.low == pytest.approx(exp(logs.mean() - half))
    assert found.high == pytest.approx(exp(logs.mean() + half))
    assert found.half_width_percent == pytest.approx(100 * (exp(half) - 1))


def test_shares_have_an_interval_of_their_values() -> None:
    found = measure_precision([0.90, 0.91, 0.92, 0.91], ARITHMETIC, 5)

    assert found.centre == pytest.approx(0.91)
    assert found.is_reached


@pytest.mark.parametrize(("blocks", "is_reached"), [(1, False), (2, False), (3, True), (4, True)])
def test_equal_values_are_precise_from_the_third_block_on(blocks: int, is_reached: bool) -> None:
    found = measure_precision([7.0] * blocks, GEOMETRIC, 1)

    assert found.is_reached is is_reached
    assert found.centre == pytest.approx(7)


def test_a_single_value_has_no_interval() -> None:
    found = measure_precision([7.0], GEOMETRIC, 1)

    assert (found.low, found.high, found.half_width_percent, found.blocks_needed) == (None,) * 4


def test_values_around_zero_have_no_relative_precision() -> None:
    found = measure_precision([-1.0, 1.0, -1.0, 1.0], GEOMETRIC, 5)

    assert not found.is_reached
    assert found.half_width_percent is None
    assert found.blocks_needed is None


def test_zeros_are_precise() -> None:
    assert measure_precision([0.0, 0.0, 0.0], GEOMETRIC, 5).is_reached


def test_a_wider_range_is_reached_earlier() -> None:
    values = [10.0, 10.4, 9.8, 10.1, 9.9]

    found = [measure_precision(values, GEOMETRIC, percent) for percent in (1, 2, 5)]
    needed = [item.blocks_needed for item in found if item.blocks_needed is not None]

    assert [item.is_reached for item in found] == [False, False, True]
    assert needed[0] > needed[1] > needed[2] == 0


def test_the_estimated_number_of_blocks_is_enough_for_the_same_spread() -> None:
    values = [exp(step) for step in (-0.05, 0.05) * 3]
    found = measure_precision(values, GEOMETRIC, 2)
    assert found.blocks_needed
    total = len(values) + found.blocks_needed
    deviation = float(np.std(np.log(values), ddof=1))

    def half_width(n: int) -> float:
        return float(stats.t.ppf(0.9875, n - 1)) * deviation / sqrt(n)

    assert half_width(total) <= log(1.02) < half_width(total - 1)


@pytest.mark.parametrize("deviations", [0.5, 1.5, 2.5, 4.0])
def test_the_range_contains_the_true_value_in_95_percent(deviations: float) -> None:
    """For each variance, exactly: the number of blocks does not depend on the mean.

    `deviations` is the standard deviation of a block divided by the half-width of the range.
    """
    last, paths = 300, 20_000
    steps = np.random.default_rng(0).chisquare(1, (paths, last))
    steps[:, 0] = 0
    n = np.arange(1, last + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        spreads = np.sqrt(steps.cumsum(axis=1) / (n - 1) / n)
        widths = deviations * stats.t.ppf(0.9875, n - 1) * spreads
    is_narrow = (widths <= 1) & (n >= 3)
    assert is_narrow.any(axis=1).mean() > 0.99
    ends = n[is_narrow.argmax(axis=1)]

    covered = 2 * stats.norm.cdf(np.sqrt(ends) / deviations) - 1

    assert covered.mean() > 0.95

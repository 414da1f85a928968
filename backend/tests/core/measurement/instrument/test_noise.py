"""The minimum detectable difference against simulated trials of known noise."""

from math import exp

import numpy as np
import pytest

from backend.core.measurement.instrument.noise import find_noise


def cells(count: int, trials: int, sigma: float, seed: int = 20261120) -> list[list[float]]:
    random = np.random.default_rng(seed)
    drawn: list[list[float]] = np.exp(random.normal(3, sigma, (count, trials))).tolist()
    return drawn


def test_the_variation_is_estimated() -> None:
    noise = find_noise(cells(2, 2000, 0.05))

    assert noise is not None
    assert noise.variation == pytest.approx(0.05, rel=0.05)
    assert noise.trials == 2000


def test_equal_cells_seldom_differ_by_more_than_the_minimum() -> None:
    """5 % of other pairs differ by more than the minimum detectable difference of one pair."""
    beyond = 0
    for seed in range(500):
        found = find_noise(cells(2, 5, 0.02, seed))
        other = find_noise(cells(2, 5, 0.02, seed + 10_000))
        assert found is not None
        assert other is not None
        beyond += other.aa_ratio > found.smallest_ratio
    assert 0.02 < beyond / 500 < 0.06


def test_different_cells_raise_the_minimum_to_their_difference() -> None:
    noise = find_noise([[10.0, 10.01, 9.99], [11.0, 11.01, 10.99]])

    assert noise is not None
    assert noise.smallest_ratio == noise.aa_ratio == pytest.approx(1.1, rel=1e-3)


@pytest.mark.parametrize("few", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, 2.0], [1.0, 0.0]], []])
def test_too_few_trials_give_no_noise(few: list[list[float]]) -> None:
    assert find_noise(few) is None


def test_equal_values_have_no_noise() -> None:
    noise = find_noise([[exp(1.0)] * 3, [exp(1.0)] * 3])

    assert noise is not None
    assert (noise.variation, noise.smallest_ratio, noise.aa_ratio) == (0.0, 1.0, 1.0)

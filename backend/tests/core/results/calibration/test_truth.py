"""The distribution of the reference service, compared with scipy and with a large sample."""

import numpy as np
import pytest
from scipy import stats

from backend.core.results.calibration.truth import Distribution, is_true

PARAMETERS = {
    "median_us": 5000,
    "sigma_percent": 40,
    "second_percent": 0,
    "second_median_us": 20000,
    "stall_per_mille": 0,
    "stall_ms": 200,
    "burn_us": 0,
}


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99, 0.999])
def test_a_single_mode_equals_the_lognormal_of_scipy(quantile: float) -> None:
    own = Distribution.from_parameters(PARAMETERS)

    assert own.quantile_ms(quantile) == pytest.approx(stats.lognorm(0.4, scale=5).ppf(quantile))


def test_a_mixture_with_stalls_equals_a_large_sample() -> None:
    random = np.random.default_rng(20261120)
    count = 1_000_000
    median = np.where(random.random(count) < 0.2, 20.0, 5.0)
    sample = median * np.exp(random.normal(0, 0.1, count)) + 200 * (random.random(count) < 0.005)
    changes = {"sigma_percent": 10, "second_percent": 20, "stall_per_mille": 5}
    own = Distribution.from_parameters(PARAMETERS | changes)

    for quantile in (0.5, 0.75, 0.9, 0.99, 0.998):
        assert own.quantile_ms(quantile) == pytest.approx(np.quantile(sample, quantile), rel=0.01)
    assert 1 - own.share_below(100) == pytest.approx(0.005)


def test_a_service_that_freezes_equals_a_large_sample() -> None:
    random = np.random.default_rng(20261128)
    due_ms = random.random(1_000_000) * 10_000
    sample = 5 * np.exp(random.normal(0, 0.4, due_ms.size)) + np.maximum(500 - due_ms, 0)
    own = Distribution.from_parameters(PARAMETERS | {"freeze_ms": 500})

    for quantile in (0.5, 0.9, 0.96, 0.99, 0.999):
        assert own.quantile_ms(quantile) == pytest.approx(np.quantile(sample, quantile), rel=0.01)


def test_without_sigma_all_latencies_are_equal_and_without_a_median_they_are_zero() -> None:
    constant = Distribution.from_parameters(PARAMETERS | {"sigma_percent": 0})
    at_once = Distribution.from_parameters(PARAMETERS | {"median_us": 0})

    assert constant.quantile_ms(0.999) == pytest.approx(5.0)
    assert at_once.quantile_ms(0.999) < 1e-5


@pytest.mark.parametrize(
    ("reported", "is_within"), [(100, True), (102.3, True), (102.4, False), (97.6, False)]
)
def test_the_tolerance_is_a_share_and_a_constant(reported: float, is_within: bool) -> None:
    assert is_true(reported, 100) is is_within

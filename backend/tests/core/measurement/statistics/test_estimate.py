"""Estimates and intervals against published t quantiles and scipy."""

from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from backend.core.measurement.statistics.estimate import estimate
from backend.core.units import Aggregation
from backend.tests.core.measurement.statistics.intervals import interval_of

# Two-sided 95 % quantiles of Student's t, as printed in any table: degrees of freedom -> t.
TABLE = {2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 29: 2.045}

positive = st.lists(st.floats(1e-3, 1e6), min_size=3, max_size=30)


@pytest.mark.parametrize(("freedom", "quantile"), TABLE.items())
def test_the_interval_matches_printed_quantiles(freedom: int, quantile: float) -> None:
    n = freedom + 1
    values = [10.0 + index for index in range(n)]
    # The standard deviation of n consecutive whole numbers is sqrt(n (n + 1) / 12).
    half_width = quantile * sqrt(n * (n + 1) / 12) / sqrt(n)

    found = estimate(values, Aggregation.ARITHMETIC)

    assert (found.n, found.values) == (n, ())
    assert found.estimate == pytest.approx(10 + freedom / 2)
    assert found.low == pytest.approx(found.estimate - half_width, rel=1e-3)
    assert found.high == pytest.approx(found.estimate + half_width, rel=1e-3)


@given(positive)
def test_the_geometric_interval_matches_scipy_on_logs(values: Sequence[float]) -> None:
    logs = np.log(values)
    half_width = stats.t.ppf(0.975, len(values) - 1) * stats.sem(logs)
    low, high = logs.mean() - half_width, logs.mean() + half_width

    found = estimate(values, Aggregation.GEOMETRIC)

    assert found.estimate == pytest.approx(stats.gmean(values), rel=1e-9)
    logs_found = [log(bound) for bound in interval_of(found)]
    assert logs_found == pytest.approx([low, high], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("aggregation", Aggregation)
@pytest.mark.parametrize("values", [[0.75], [0.75, 0.8]])
def test_fewer_than_three_values_are_kept_instead_of_an_interval(
    aggregation: Aggregation, values: list[float]
) -> None:
    found = estimate(values, aggregation)

    assert found.estimate == pytest.approx(sum(values) / len(values), rel=1e-3)
    assert (found.low, found.high, found.n) == (None, None, len(values))
    assert found.values == tuple(values)


def test_the_interval_of_a_share_is_that_of_its_logit() -> None:
    values = [0.80, 0.86, 0.90, 0.76]
    share = np.mean(values)
    half_width = stats.t.ppf(0.975, 3) * stats.sem(values) / (share * (1 - share))
    centre = log(share / (1 - share))

    found = estimate(values, Aggregation.SHARE)

    assert found.estimate == pytest.approx(share)
    assert found.low == pytest.approx(1 / (1 + exp(half_width - centre)))
    assert found.high == pytest.approx(1 / (1 + exp(-half_width - centre)))


@given(st.lists(st.floats(0, 1), min_size=3, max_size=10))
def test_the_interval_of_a_share_lies_between_0_and_1(values: list[float]) -> None:
    found = estimate(values, Aggregation.SHARE)

    low, high = interval_of(found)
    assert 0 <= low <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= high <= 1


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_equal_shares_have_an_interval_without_width(share: float) -> None:
    found = estimate([share] * 5, Aggregation.SHARE)

    assert (found.low, found.estimate, found.high) == pytest.approx((share, share, share))


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [0.0, 3.0, 6.0]])
def test_zeros_fall_back_to_the_arithmetic_mean(values: list[float]) -> None:
    found, mean = (
        estimate(values, aggregation)
        for aggregation in (Aggregation.GEOMETRIC, Aggregation.ARITHMETIC)
    )

    assert (found.estimate, found.high) == (mean.estimate, mean.high)
    assert found.estimate == pytest.approx(sum(values) / 3)


def test_a_quantity_without_negative_values_has_no_negative_interval() -> None:
    values = [0.0, 0.5, 4.2, 1.1, 2.0]

    assert (estimate(values, Aggregation.ARITHMETIC).low or 0) < 0
    assert estimate(values, Aggregation.GEOMETRIC).low == 0
    assert (estimate([-1.0, 0.5, 1.0], Aggregation.GEOMETRIC).low or 0) < 0


def test_equal_values_have_an_interval_of_zero_width() -> None:
    found = estimate([5.0] * 4, Aggregation.ARITHMETIC)

    assert (found.low, found.estimate, found.high) == (5.0, 5.0, 5.0)

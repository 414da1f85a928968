"""The corrections for many tests, against scipy and worked examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from backend.core.measurement.statistics.multiple_tests import (
    adjust_benjamini_hochberg,
    find_holm_confidences,
    pass_false_discovery_rate,
)

p_lists = st.lists(st.floats(0, 1), max_size=20)


def test_intervals_agree_with_a_worked_example_of_holm() -> None:
    """Its adjusted p-values are 0.03, 0.06, 0.06 and 0.02, so the first and last are rejected."""
    found = find_holm_confidences([0.01, 0.04, 0.03, 0.005], 0.05)

    assert found == pytest.approx([1 - 0.05 / 3, 0.975, 0.975, 1 - 0.05 / 4])
    assert find_holm_confidences([0.9, 0.8], 0.05) == [0.975, 0.975]
    assert find_holm_confidences([], 0.05) == []


@given(p_lists)
def test_an_interval_excludes_no_effect_if_and_only_if_holm_rejects(p_values: list[float]) -> None:
    confidences = find_holm_confidences(p_values, 0.05)

    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    is_rejected = True
    for step, at in enumerate(order):
        limit = 0.05 / (len(order) - step)
        is_rejected = is_rejected and p_values[at] < limit
        assert 0.95 - 1e-12 <= confidences[at] < 1
        # A confidence is 1 minus the limit, so p-values next to the limit may be rounded across it.
        # The following tests depend on this one.
        if abs(p_values[at] - limit) <= 1e-12:
            return
        assert (p_values[at] < 1 - confidences[at]) == is_rejected


@given(p_lists)
def test_benjamini_hochberg_matches_scipy(p_values: list[float]) -> None:
    expected = stats.false_discovery_control(p_values).tolist() if p_values else []

    assert adjust_benjamini_hochberg(p_values) == pytest.approx(expected)


def test_a_batch_passes_as_in_the_example_of_benjamini_and_hochberg() -> None:
    # Their example of 15 p-values: at 5 % the first four are positive.
    p_values = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
        0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
    ]  # fmt: skip

    assert pass_false_discovery_rate(p_values, 0.05) == [True] * 4 + [False] * 11
    assert pass_false_discovery_rate([0.04, None, None], 0.05) == [False, False, False]
    assert pass_false_discovery_rate([0.01, None, None], 0.05) == [True, False, False]
    assert pass_false_discovery_rate([], 0.05) == []

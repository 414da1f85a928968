"""The corrections for many tests, against scipy and worked examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from backend.core.statistics.multiple_tests import (
    adjust_benjamini_hochberg,
    adjust_holm,
    pass_false_discovery_rate,
)

p_lists = st.lists(st.floats(0, 1), max_size=20)


def test_holm_matches_a_worked_example() -> None:
    assert adjust_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust_holm([0.9, 0.8]) == [1.0, 1.0]
    assert adjust_holm([]) == []


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

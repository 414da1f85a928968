"""The corrections for many tests, against scipy and worked examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from backend.core.statistics.multiple_tests import adjust_benjamini_hochberg, adjust_holm

p_lists = st.lists(st.floats(0, 1), max_size=20)


def test_holm_as_worked_by_hand() -> None:
    assert adjust_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust_holm([0.9, 0.8]) == [1.0, 1.0]
    assert adjust_holm([]) == []


@given(p_lists)
def test_benjamini_hochberg_as_scipy_does(p_values: list[float]) -> None:
    expected = stats.false_discovery_control(p_values).tolist() if p_values else []

    assert adjust_benjamini_hochberg(p_values) == pytest.approx(expected)

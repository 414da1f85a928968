"""The reduction of a cell's seconds for charts."""

import numpy as np

from backend.core.results.cell_charts import stretch

NONE = np.nan


def test_a_short_series_is_unchanged() -> None:
    bands = np.array([[0, 1], [1, 2], [3, 4], [5, 6]], dtype=float)

    assert stretch(bands, 2) is bands


def test_a_long_series_keeps_its_extremes() -> None:
    seconds = [0, 1, 2, 3, 4, 5]
    low = [5, 4, NONE, 3, 2, 1]
    middle = [6, 6, NONE, 4, 5, 9]
    high = [7, 90, NONE, 8, 8, 9]

    found = stretch(np.array([seconds, low, middle, high]), 3)

    expected = [[0, 2, 4], [4, 3, 1], [6, 4, 7], [90, 8, 9]]
    assert found.tolist() == expected


def test_missing_and_empty_seconds_stay_missing_and_empty() -> None:
    seconds = [0, 1, 4, 5]
    none = [NONE, NONE, 1, 1]

    found = stretch(np.array([seconds, none, none, none]), 3)

    assert found[0].tolist() == [0, 4]
    assert np.isnan(found[1:, 0]).all()
    assert found[1:, 1].tolist() == [1, 1, 1]

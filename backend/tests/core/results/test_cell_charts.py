"""Reduced bands, by a table of cases."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.core.results.cell_charts import thin_out

CASES = json.loads(Path(__file__).with_name("band-cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_seconds_are_reduced_to_intervals(case: dict[str, Any]) -> None:
    # None becomes NaN.
    points, expected = (np.array(case[name], dtype=float).T for name in ("points", "thin"))

    found = thin_out(points, case["limit"])

    np.testing.assert_array_equal(found, expected)


def test_each_figure_is_reduced_on_its_own() -> None:
    seconds, ones, twos = [0, 1, 2], [1, 1, 1], [2, 2, 2]

    found = thin_out(np.array([seconds, *[ones] * 3, *[twos] * 3], dtype=float), 2)

    assert found.tolist() == [[0, 2], *[[1, 1]] * 3, *[[2, 2]] * 3]

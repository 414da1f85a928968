"""Drawn bars; the table of cases is shared with the tests of the frontend."""

import json
from typing import Any

import pytest

from backend.api.results.sharing.drawing import Bar, draw_bars, scale_end
from backend.core.config import ROOT

CASES = json.loads((ROOT / "frontend" / "src" / "charts" / "bar-scale-cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_bars_share_a_scale(case: dict[str, Any]) -> None:
    bars = [
        Bar(name="Node.js", colour=0, excluded=False, figures="", **bar) for bar in case["bars"]
    ]

    assert scale_end(bars) == case["end"]


def test_no_bars_are_an_empty_drawing() -> None:
    assert draw_bars([], width=100, row=20, size=10) == ""

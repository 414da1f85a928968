"""Figures in the format of the frontend (frontend/src/lib/format.test.ts)."""

import pytest

from backend.core.numbers import format_figure, format_interval, format_value, join_words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (7, "7"),
        (99.96220200385518, "100.0"),
        (1234567, "1\u202f230\u202f000"),
        (0.012345, "0.0123"),
        (-4.2, "\u22124.20"),
        (1e-9, "≈ 0"),
        (float("nan"), "–"),
    ],
)
def test_three_significant_figures(value: float, shown: str) -> None:
    assert format_figure(value) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (12.4, "ms", "12.4\u202fms"),
        (0.05, "ms", "50\u202fµs"),
        (20_000, "ms", "20\u202fs"),
        (18_300, "req/s", "18.3\u202fk\u202freq/s"),
        (9_100, "req/s", "9\u202f100\u202freq/s"),
        (432_013_312, "B", "412\u202fMiB"),
        (0.995, "share", "99.5\u202f%"),
        (3, "", "3"),
    ],
)
def test_units_fit_the_size(value: float, unit: str, shown: str) -> None:
    assert format_value(value, unit) == shown


def test_an_interval_keeps_its_estimates_unit() -> None:
    assert format_interval(12_000, 9_000, 15_000, "ms") == "[9, 15]"
    assert join_words(["A", "B", "C"]) == "A, B and C"
    assert join_words(["A [60, 63]", "B"]) == "A [60, 63] and B"
    assert join_words(["A", "B, an instance", "C"]) == "A; B, an instance; and C"

"""Formatted numbers; the table of cases is shared with the tests of the frontend."""

import json

import pytest

from backend.core.config import ROOT
from backend.core.numbers import (
    agree,
    count_of,
    format_estimate,
    format_figure,
    format_interval,
    format_points,
    format_ratio,
    format_value,
    format_values,
    join_choices,
    join_first,
    join_words,
    name_in_sentence,
)

CASES = json.loads((ROOT / "frontend" / "src" / "lib" / "number-cases.json").read_text())


@pytest.mark.parametrize(("value", "text"), CASES["figures"])
def test_a_figure_has_three_significant_digits(value: float, text: str) -> None:
    assert format_figure(value) == text


def test_a_missing_value_is_a_dash() -> None:
    assert format_figure(float("nan")) == "–"


@pytest.mark.parametrize(("value", "unit", "text"), CASES["values"])
def test_the_unit_fits_the_size_of_the_value(value: float, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


@pytest.mark.parametrize(("estimate", "low", "high", "unit", "text"), CASES["intervals"])
def test_an_interval_has_the_unit_of_its_estimate(
    estimate: float, low: float, high: float, unit: str, text: str
) -> None:
    assert format_interval(estimate, low, high, unit) == text


@pytest.mark.parametrize(("values", "unit", "text"), CASES["few"])
def test_few_values_are_shown_in_one_unit(values: list[float], unit: str, text: str) -> None:
    assert format_values(values, unit) == text
    assert format_estimate(1.0, None, None, unit, values) == text


@pytest.mark.parametrize(("difference", "text"), CASES["points"])
def test_a_difference_of_shares_is_shown_in_percentage_points(difference: float, text: str) -> None:
    assert format_points(difference, None, None) == f"{text}\u202fpp"
    assert format_points(difference, -0.03, 0.01) == f"{text}\u202fpp [\u22123, +1]"


@pytest.mark.parametrize(("items", "text"), CASES["joined"])
def test_items_are_joined_in_words(items: list[str], text: str) -> None:
    assert join_words(items) == text


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (["A", "B"], "A and B"),
        (["A", "B", "C"], "A, B and C"),
        (["A", "B", "C", "D"], "A, B and 2 more"),
        (["A, a copy", "B", "C", "D"], "A, a copy; B; and 2 more"),
    ],
)
def test_items_after_the_first_are_counted_unless_there_is_only_one(
    items: list[str], text: str
) -> None:
    assert join_first(items, 2) == text


def test_choices_are_joined_with_or() -> None:
    assert join_choices(["A"]) == "A"
    assert join_choices(["A", "B", "C"]) == "A, B or C"


@pytest.mark.parametrize(
    ("count", "verb", "text"),
    [(0, "are", "0 trials"), (1, "is", "1 trial"), (2, "are", "2 trials")],
)
def test_words_agree_with_a_count(count: int, verb: str, text: str) -> None:
    assert agree(count, "is", "are") == verb
    assert count_of(count, "trial") == text


def test_a_noun_may_have_its_own_plural() -> None:
    assert count_of(1, "series", "series") == "1 series"
    assert count_of(3, "series", "series") == "3 series"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Node.js", "Node.js"),
        ("Vert.x, an instance a CPU", "Vert.x (an instance a CPU)"),
        ("Ktor, CIO, new build 1a2b3c4d", "Ktor (CIO, new build 1a2b3c4d)"),
    ],
)
def test_a_name_has_no_commas_in_a_sentence(name: str, expected: str) -> None:
    assert name_in_sentence(name) == expected


def test_an_estimate_and_a_ratio_show_the_interval_that_they_have() -> None:
    assert format_estimate(61, 60, 63, "µs") == "61\u202fµs [60, 63]"
    assert format_estimate(61, None, None, "µs") == "61\u202fµs"
    assert format_ratio(0.612, 0.59, 0.63) == "0.612× [0.590, 0.630]"
    assert format_ratio(2, None, None) == "2×"

"""Frameworks that are shown together have distinct hues, and keep their markers."""

import json
from itertools import combinations

import pytest

from backend.core.catalog.colours import _NEAR, HUES, distinguish_colours, hue_of, marker_of
from backend.core.config import ROOT

# More than the catalogue has.
_FRAMEWORKS = range(40)


def test_every_framework_has_its_own_pair_of_hue_and_marker() -> None:
    looks = {(hue_of(colour), marker_of(colour)) for colour in range(72)}

    assert len(looks) == 72


@pytest.mark.parametrize("size", [2, 3, 4])
def test_no_chart_of_some_frameworks_repeats_or_confuses_hues(size: int) -> None:
    for together in combinations(_FRAMEWORKS, size):
        shown = distinguish_colours(together)
        hues = sorted(hue_of(colour) for colour in shown.values())
        assert len(set(hues)) == size, together
        assert not _NEAR & set(combinations(hues, 2)), together


@pytest.mark.parametrize("step", [1, 5, 12])
def test_twelve_frameworks_have_twelve_hues(step: int) -> None:
    together = [place * step for place in range(HUES)]

    shown = distinguish_colours(together)

    assert {hue_of(colour) for colour in shown.values()} == set(range(HUES))


def test_markers_stay_and_the_first_framework_keeps_its_hue() -> None:
    shown = distinguish_colours([14, 2, 26, 7])

    assert {colour: marker_of(seen) for colour, seen in shown.items()} == {
        colour: marker_of(colour) for colour in (2, 7, 14, 26)
    }
    assert shown[2] == 2
    assert shown[7] == 7
    assert distinguish_colours([26, 7, 2, 14]) == shown


def test_a_framework_that_nobody_confuses_keeps_its_colour() -> None:
    assert distinguish_colours([0, 1, 2, 17]) == {0: 0, 1: 1, 2: 2, 17: 17}


def test_more_frameworks_than_hues_keep_distinct_pairs() -> None:
    together = [place * 5 % 72 for place in range(35)]

    assert distinguish_colours(together) == {colour: colour for colour in together}


def test_confused_hues_are_those_that_the_interface_measures() -> None:
    near = json.loads((ROOT / "frontend/src/lib/near-hues.json").read_text())

    assert {tuple(pair) for pair in near} == _NEAR

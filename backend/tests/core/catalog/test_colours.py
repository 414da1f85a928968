"""Frameworks that are usually compared have distinct hues, and all have distinct marks."""

import json
from itertools import combinations

import pytest

from backend.core.catalog.colours import (
    _NEAR,
    HUES,
    Comparable,
    choose_colours,
    hue_of,
    is_confused,
    marker_of,
)
from backend.core.catalog.folders import Catalogue
from backend.core.catalog.registration import describe_comparisons
from backend.core.config import ROOT

_CATALOGUE = Catalogue(ROOT / "services")
_STUDIES = {
    slug: frozenset(study.frameworks.values()) for slug, (study, _) in _CATALOGUE.studies.items()
}
_COLOURS = choose_colours(
    [
        describe_comparisons(slug, framework.scenarios, _STUDIES)
        for slug, (framework, _) in _CATALOGUE.frameworks.items()
    ],
    [],
)


def test_every_framework_has_its_own_pair_of_hue_and_marker() -> None:
    looks = {(hue_of(colour), marker_of(colour)) for colour in _COLOURS.values()}

    assert len(looks) == len(_COLOURS) > HUES


@pytest.mark.parametrize("study", _STUDIES)
def test_frameworks_of_a_study_have_distinct_hues(study: str) -> None:
    hues = [hue_of(_COLOURS[slug]) for slug in _STUDIES[study]]
    confused = [pair for pair in combinations(sorted(hues), 2) if is_confused(*pair)]

    assert len(set(hues)) == len(hues)
    # Nine hues can be told apart by everybody.
    assert len(confused) <= max(0, len(hues) - 9)


@pytest.mark.parametrize(
    "together",
    [
        ("spring-mvc", "quarkus-rest", "node", "go-nethttp"),
        ("express", "fastapi", "go-nethttp", "spring-mvc"),
        ("micronaut", "quarkus-rest", "spring-mvc", "spring-webflux", "vertx"),
    ],
    ids=str,
)
def test_frameworks_of_usual_questions_have_distinct_hues(together: tuple[str, ...]) -> None:
    pairs = combinations((hue_of(_COLOURS[slug]) for slug in together), 2)

    assert not [pair for pair in pairs if is_confused(*pair)]


def test_a_new_framework_does_not_change_the_colours_of_others() -> None:
    one, other = (Comparable(slug, frozenset({"hello"}), frozenset()) for slug in ("a", "b"))

    assert choose_colours([other], [(one, 0)]) == {"b": 1}
    assert choose_colours([one, other], []) == {"a": 0, "b": 1}


def test_more_frameworks_than_marks_still_get_one() -> None:
    many = [Comparable(f"{index:03}", frozenset({"hello"}), frozenset()) for index in range(80)]

    assert len(set(choose_colours(many, []).values())) == 72


def test_confused_hues_are_those_that_the_interface_measures() -> None:
    near = json.loads((ROOT / "frontend/src/lib/near-hues.json").read_text())

    assert {tuple(pair) for pair in near} == _NEAR

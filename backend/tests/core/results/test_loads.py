"""Loads and differences in words; the table of cases is shared with the tests of the frontend."""

import json
from collections.abc import Mapping

import pytest

from backend.core.config import ROOT
from backend.core.numbers import use_plain_spaces
from backend.core.results.loads import list_load_parts, name_subject
from backend.core.units import ProfileKind

CASES = json.loads((ROOT / "frontend" / "src" / "lib" / "load-cases.json").read_text())


@pytest.mark.parametrize(("kind", "parameters", "text"), CASES["loads"])
def test_a_load_is_described(kind: str, parameters: Mapping[str, int], text: str) -> None:
    assert use_plain_spaces(", ".join(list_load_parts(ProfileKind(kind), parameters))) == text


@pytest.mark.parametrize(("subject", "name"), CASES["subjects"])
def test_a_difference_has_a_name(subject: str, name: str) -> None:
    assert name_subject(subject) == name

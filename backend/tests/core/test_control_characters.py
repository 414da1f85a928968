"""Control characters in text that others wrote."""

import pytest

from backend.core.control_characters import escape_control_characters


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain – ünïcode ✓ 日本", "plain – ünïcode ✓ 日本"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[2J\x00\x7f\x9b", r"\x1b[2J\x00\x7f\x9b"),
        ("a\u2028b\u2029c\x85", r"a\u2028b\u2029c\x85"),
        ("\u202egnp.exe\u2066\u200f", r"\u202egnp.exe\u2066\u200f"),
        ("\ud800", r"\ud800"),
    ],
)
def test_they_become_visible(text: str, escaped: str) -> None:
    assert escape_control_characters(text) == escaped

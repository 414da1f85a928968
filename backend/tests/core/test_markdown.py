"""Text in Markdown that shows as it is."""

from pathlib import Path

import pytest

from backend.core.config import ROOT
from backend.core.markdown import escape_markdown, write_table_row


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("Node.js · Hello", "Node.js · Hello"),
        ("rate_rps = 500, −5 %", "rate_rps = 500, −5 %"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("a | b \\| c", r"a \| b \\\| c"),
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("![x](https://evil.example)", r"!\[x\](https://evil.example)"),
        ("`a` **b** _c_ ~~d~~", r"\`a\` \*\*b\*\* \_c\_ \~\~d\~\~"),
        ("a\n\n# b\r\n| c |", r"a # b \| c \|"),
        ("# a", r"\# a"),
        ("- a", r"\- a"),
        ("---", r"\---"),
        ("1. a", r"1\. a"),
        ("1.5 ms", "1.5 ms"),
        ("a\x1b[31m\u202eb", r"a\\x1b\[31m\\u202eb"),
    ],
)
def test_nothing_in_a_text_is_markup(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


def test_a_row_has_one_cell_for_each_text() -> None:
    assert write_table_row(map(escape_markdown, ["a | b", "c"])) == r"| a \| b | c |"


def test_every_module_that_writes_tables_escapes() -> None:
    writers = [
        path
        for path in Path(ROOT, "backend").rglob("*.py")
        if "tests" not in path.parts and "| ---" in path.read_text()
    ]

    assert writers
    for path in writers:
        assert "import escape_markdown" in path.read_text(), path
        assert '" | ".join' not in path.read_text(), path
        assert "' | '.join" not in path.read_text(), path

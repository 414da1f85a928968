"""Test the extraction of texts from each kind of file."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tools.prose.areas import AREAS, check, list_files
from tools.prose.passages import (
    Passage,
    is_prose,
    read_c_like,
    read_hash_comments,
    read_markdown,
    read_openapi,
    read_python,
    read_toml,
    split_sentences,
)

PYTHON = '''"""A module."""

# Two lines
# of comment.
NAME = "bell"  # noqa: S105
TEXT = f"The run {NAME} has ended."


def test_a_run_ends() -> None:
    """A function."""
    query("SELECT the name FROM a table")
'''

GO = """// Package a counts
// requests.
package a

/* A block. */
var text = "the run has ended" // A trailing comment.
var address = "http://host/path"
"""


def test_python_yields_comments_docstrings_texts_and_names_of_tests() -> None:
    assert sorted(read_python(PYTHON)) == [
        Passage(1, "A module."),
        Passage(3, "Two lines\nof comment."),
        Passage(6, "The run X has ended."),
        Passage(9, "A run ends"),
        Passage(10, "A function."),
    ]
    assert Passage(6, "The run X has ended.") not in list(read_python(PYTHON, texts=False))


def test_go_yields_comments_and_texts() -> None:
    assert sorted(read_c_like(GO)) == [
        Passage(1, "Package a counts\nrequests."),
        Passage(5, "A block."),
        Passage(6, "A trailing comment."),
        Passage(6, "the run has ended"),
    ]


@pytest.mark.parametrize(
    ("read", "source", "expected"),
    [
        (
            read_hash_comments,
            "#!/bin/sh\n# Two\n# lines.\ntest: dev ## run the tests\n",
            [Passage(2, "Two\nlines."), Passage(4, "run the tests")],
        ),
        (
            read_toml,
            '# A comment.\nname = "go"\ntitle = "Wait for a third party"\n',
            [Passage(1, "A comment."), Passage(3, "Wait for a third party")],
        ),
        (
            read_markdown,
            "# Title\n\nTwo\nlines.\n- an item\n```\ncode\n```\n| a | b |\n| --- | - |\n",
            [
                Passage(1, "Title"),
                Passage(3, "Two\nlines."),
                Passage(5, "an item"),
                Passage(9, "a"),
                Passage(9, "b"),
            ],
        ),
        (
            read_openapi,
            '{\n  "summary": "List runs",\n  "title": "Run"\n}\n',
            [Passage(2, "List runs")],
        ),
    ],
)
def test_other_files_yield_comments_and_texts(
    read: Callable[[str], Iterable[Passage]], source: str, expected: list[Passage]
) -> None:
    assert list(read(source)) == expected


def test_sentences_end_at_full_stops_and_paragraphs() -> None:
    text = "The first ends here. The second\nhas words, e.g. Four.\n\nA list of the last."
    found = [(text[offset], sentence) for offset, sentence in split_sentences(text)]
    assert found == [
        ("T", "The first ends here."),
        ("T", "The second\nhas words, e.g. Four."),
        ("A", "A list of the last."),
    ]


@pytest.mark.parametrize("text", ["application/json", "SELECT id FROM runs WHERE", "a-b c"])
def test_code_is_not_prose(text: str) -> None:
    assert not is_prose(text)


def test_a_finding_has_the_line_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""A module."""\n\n# First\n# rings a bell.\n')
    assert {(finding.path, finding.line) for finding in check(["a.py"], tmp_path)} == {("a.py", 4)}


def test_every_area_has_files() -> None:
    files = list_files()
    assert all(files[area] for area in AREAS)

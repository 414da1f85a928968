"""Test the random draw of sentences."""

import pytest

from tools.prose import sentences
from tools.prose.areas import AREAS, list_files
from tools.prose.passages import Passage, split_sentences
from tools.prose.sentences import Sentence, draw, list_sentences


def test_sentences_end_at_full_stops_and_paragraphs() -> None:
    text = "The first ends here. The second\nhas words, e.g. Four.\n\nA list of the last."
    found = [(text[offset], sentence) for offset, sentence in split_sentences(text)]
    assert found == [
        ("T", "The first ends here."),
        ("T", "The second\nhas words, e.g. Four."),
        ("A", "A list of the last."),
    ]


def test_sentences_have_at_least_four_words_and_the_line_on_which_they_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "Too short.\nA unit of 3 ms. This sentence is long\nenough to be read aloud."
    monkeypatch.setattr(sentences, "list_files", lambda: {"docs": ["a.md"]})
    monkeypatch.setattr(sentences, "read_files", lambda _: [("a.md", [Passage(7, text)])])
    assert list_sentences(["docs"]) == [
        Sentence("docs", "a.md", 8, "This sentence is long enough to be read aloud.")
    ]


def test_a_seed_draws_the_same_sentences_again() -> None:
    some = [Sentence("docs", "a.md", line, f"Sentence {line}.") for line in range(100)]
    assert draw(some, 1, 10) == draw(some, 1, 10) != draw(some, 2, 10)
    assert len(set(draw(some, 1, 10))) == 10
    assert draw(some, 1, 1000) == some


def test_every_area_has_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    some = {area: files[:20] for area, files in list_files().items()}
    monkeypatch.setattr(sentences, "list_files", lambda: some)
    assert {sentence.area for sentence in list_sentences(AREAS)} == set(AREAS)

"""Test the random draw of sentences."""

from tools.prose.areas import AREAS
from tools.prose.passages import Passage
from tools.prose.sentences import Sentence, draw, list_sentences, split_sentences


def test_each_sentence_has_the_line_on_which_it_begins() -> None:
    text = "The first sentence ends here. The second\nhas words, e.g. Four.\n\nA list of the last."
    assert list(split_sentences(Passage(7, text))) == [
        (7, "The first sentence ends here."),
        (7, "The second has words, e.g. Four."),
        (10, "A list of the last."),
    ]


def test_a_sentence_of_fewer_than_four_words_is_left_out() -> None:
    assert list(split_sentences(Passage(1, "Too short. A unit of 3 ms."))) == []


def test_a_seed_draws_the_same_sentences_again() -> None:
    sentences = [Sentence("docs", "a.md", line, f"Sentence {line}.") for line in range(100)]
    assert draw(sentences, 1, 10) == draw(sentences, 1, 10) != draw(sentences, 2, 10)
    assert len(set(draw(sentences, 1, 10))) == 10
    assert draw(sentences, 1, 1000) == sentences


def test_every_area_has_sentences() -> None:
    assert {sentence.area for sentence in list_sentences(AREAS)} == set(AREAS)

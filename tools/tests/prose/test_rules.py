"""Each rule catches a planted example and passes a correct sentence."""

import pytest

from tools.prose.areas import find_long_lines
from tools.prose.passages import read_markdown
from tools.prose.rules import RULES, ProseFinding, find_breaches

# One example for each of the swaps, in their order.
WORDS = [
    ("The API sends a bell.", "The API sends a wake-up message."),
    ("The worker is rung again.", "The worker is notified again through a ring buffer."),
    ("Events leave on the wire.", "Events leave on the event stream."),
    ("The run is concluded.", "The run is finalized."),
    ("The conclusion is stored.", "The finalization is stored."),
    ("The contest has two parts.", "The ranking has two parts."),
    ("The verdict bars the result.", "The verdict excludes the result. The bars show means."),
    ("Open the kept comparison.", "Open the snapshot and keep the page open."),
    ("The result has a doubt.", "The result has a warning."),
    ("A change of level was found.", "A level shift was found. The level changes."),
    ("At the last look 3 of 5 differ.", "At the last interim analysis 3 of 5 differ."),
    ("A retest follows.", "A confirmation run follows. The test runs again."),
    ("Start the support first.", "Docker supports limits for a team."),
    ("The noise floor is 2 %.", "The minimum detectable difference is 2 %."),
    ("Subtract the generator's floor.", "Subtract the load generator overhead."),
    ("Skip the next occurrence.", "Skip the next scheduled run."),
    ("The study's subject is a service.", "The system under test is a service."),
    ("The log tells the cause.", "The log shows what cannot be told apart."),
    ("The page says so.", "The page shows it. An essay is long."),
    ("The run was asked for.", "The run was requested. Ask a question."),
    ("The page is beside the chart.", "The page is next to the chart. Besides, it is short."),
    ("Mend the manifest.", "Fix the manifest. Recommend a change."),
    ("Refuse strangers.", "Refuse anonymous visitors."),
    ("Both results share a place.", "Both results share a rank. The lock is in the same place."),
]

EXAMPLES = {
    "SentenceStart": [
        (
            "Of the seconds of a stretch stay the earliest.",
            "Of the 40 results, 3 are excluded. Of course.",
        ),
        (
            "Ranked together is only a group.",
            "Completed runs are stored. Sorted results are useful.",
        ),
        ("Who waits best for a third party.", "Who may read a run?"),
        ("What misses its goal is bold.", "What is a run?"),
        ("In what two environments differ.", "In two environments, results differ."),
        ("So is the second trial.", "So the second trial is excluded."),
        ("Only then it starts.", "Only members see it."),
    ],
    "StandIn": [
        ("Whoever reads it has access.", "Each reader has access."),
        ("Choose one that passes.", "Choose one of the services."),
        ("It is only who may write.", "It is for members who may write."),
        ("It holds only what passed.", "It holds only passing trials."),
    ],
    "NoVerb": [("A point a cell; hollow points are excluded.", "A point shows a cell.")],
    "Order": [
        ("The value is none of the cells.", "None of the cells has the value."),
        ("Release the lock should the process die.", "The process should release the lock."),
        ("It stands bold.", "TTFB stands for time to first byte. A stand-in runs."),
        ("Here stay the first that fit.", "The first results remain."),
        ("Any error, be it small, counts.", "Any error counts. It may be it."),
    ],
    "Archaic": [("Build it anew.", "Build it again.")],
    "Personification": [("The kernel knows the limit.", "A reader knows the limit.")],
    "Negation": [("It is no tool.", "There is no tool. It is no longer here. It is no larger.")],
}


def find_rules(text: str) -> set[str]:
    """Return the names of the rules that a text breaks."""
    passages = read_markdown(text)
    return {found.rule for passage in passages for found in find_breaches("text", passage)}


@pytest.mark.parametrize(("bad", "good"), WORDS)
def test_a_private_word_is_caught_and_the_field_s_word_passes(bad: str, good: str) -> None:
    assert find_rules(bad) == {"Vocabulary"}
    assert find_rules(good) == set()


def test_every_pattern_of_the_vocabulary_has_an_example() -> None:
    rules = [rule for rule in RULES if rule.name == "Vocabulary"]
    for rule, (bad, good) in zip(rules, WORDS, strict=True):
        assert rule.pattern.search(bad)
        assert not rule.pattern.search(good)


@pytest.mark.parametrize(
    ("rule", "bad", "good"), [(rule, *pair) for rule, pairs in EXAMPLES.items() for pair in pairs]
)
def test_a_rule_catches_its_example_and_passes_a_plain_sentence(
    rule: str, bad: str, good: str
) -> None:
    assert rule in find_rules(bad)
    assert find_rules(good) == set()


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in RULES} == {*EXAMPLES, "Vocabulary"}


def test_code_in_a_text_is_not_checked() -> None:
    assert find_rules("The column `bell` holds a time.\n\n```sh\nmake bell\n```\n") == set()


def test_long_lines_are_found_but_for_tables_code_and_addresses() -> None:
    code = ["```sh", "make " * 21, "```"]
    text = "\n".join(["word " * 21, "| cell " * 20, f"- https://{'a' * 100}", *code, "short"])
    assert list(find_long_lines("a.md", text)) == [
        ProseFinding("a.md", 1, "LineLength", "The line has 105 columns. Wrap it at 100.")
    ]

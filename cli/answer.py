"""Print the answer of a run in a terminal."""

from rich.console import Console

from backend.core.documents import JsonObject
from backend.core.numbers import use_plain_spaces

_OUTCOMES = {
    "usable": "Usable.",
    "usable_with_warnings": "Usable with warnings.",
    "not_usable": "Not usable.",
}


def print_answer(console: Console, answer: JsonObject) -> None:
    """Print headline, sentences, outcome and reason, and what to run instead."""
    text = " ".join([f"{answer['headline']}.", *answer["sentences"]])
    outcome = " ".join(filter(None, [_OUTCOMES[answer["outcome"]], answer["reason"]]))
    for line in (text, outcome):
        console.print(use_plain_spaces(line), soft_wrap=True, markup=False)
    remedy = answer["remedy"]
    if remedy is not None:
        console.print(use_plain_spaces(f"{remedy['label']}."), soft_wrap=True, markup=False)

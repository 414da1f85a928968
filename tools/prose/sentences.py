"""Draw sentences at random from the texts of the repository, to read them aloud.

`python -m tools.prose.sentences --seed 1 --count 60 [AREA…]` prints area, file, line and sentence.
The same seed draws the same sentences from the same texts.
"""

import argparse
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tools.prose.areas import AREAS, list_files, read_files
from tools.prose.passages import split_sentences

_WORD = re.compile(r"[A-Za-z]{2,}")
_FEWEST_WORDS = 4


@dataclass(frozen=True, order=True)
class Sentence:
    """A sentence and where it begins."""

    area: str
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.area:14} {self.path}:{self.line}\n    {self.text}"


def list_sentences(areas: Iterable[str]) -> list[Sentence]:
    """Return the sentences of at least four words in some areas, each with the line on which it
    begins. A sentence that is repeated appears once."""
    files = list_files()
    found: dict[str, Sentence] = {}
    for area in areas:
        for path, passages in read_files(files[area]):
            for passage in passages:
                for offset, sentence in split_sentences(passage.text):
                    line = passage.line + passage.text.count("\n", 0, offset)
                    text = " ".join(sentence.split())
                    if len(_WORD.findall(text)) >= _FEWEST_WORDS:
                        found.setdefault(text, Sentence(area, path, line, text))
    return sorted(found.values())


def draw(sentences: list[Sentence], seed: int, count: int) -> list[Sentence]:
    """Return `count` sentences drawn without replacement, or all if there are fewer."""
    drawn = random.Random(seed).sample(sentences, min(count, len(sentences)))  # noqa: S311
    return sorted(drawn)


def main() -> None:
    """Print sentences drawn at random."""
    parser = argparse.ArgumentParser(description="Draw sentences at random to read them aloud.")
    parser.add_argument("areas", nargs="*", metavar="AREA", help="default: every area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    arguments = parser.parse_args()
    if unknown := [area for area in arguments.areas if area not in AREAS]:
        parser.error(f"unknown area: {', '.join(unknown)}. Choose from {', '.join(AREAS)}.")
    sentences = list_sentences(arguments.areas or AREAS)
    for sentence in draw(sentences, arguments.seed, arguments.count):
        print(sentence)
    print(f"{min(arguments.count, len(sentences))} of {len(sentences)} sentences")


if __name__ == "__main__":
    main()

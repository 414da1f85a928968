"""The rules of `rules.toml`, and what breaks them in a passage."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.prose.passages import Passage, split_sentences

# Code, of one line or several, and the addresses of links.
_HIDDEN = re.compile(r"```.*?(?:```|\Z)|`[^`]*`|(?<=\])\([^)\s]*\)|\bhttps?://\S+", re.DOTALL)


@dataclass(frozen=True, order=True)
class ProseFinding:
    """A place in a file that breaks a rule."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


@dataclass(frozen=True)
class ProseRule:
    """A pattern that no sentence may contain, and the message about it; see `rules.toml`."""

    name: str
    pattern: re.Pattern[str]
    message: str


def _read_rules() -> Iterator[ProseRule]:
    document = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
    for name, rule in document.items():
        message = rule["message"]
        if patterns := rule.get("patterns"):
            yield ProseRule(name, re.compile("|".join(patterns)), message)
        if words := rule.get("words"):
            yield ProseRule(name, _match_words("|".join(words)), message)
        for words, use in rule.get("swaps", {}).items():
            uses = use.replace("|", "' or '")
            yield ProseRule(name, _match_words(words), message.replace("{use}", uses))


def _match_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


RULES = tuple(_read_rules())


def find_breaches(path: str, passage: Passage) -> Iterator[ProseFinding]:
    """Yield what breaks a rule in a passage of a file. Code and addresses are not checked."""
    lines = "\n".join(line.strip() for line in passage.text.split("\n"))
    text = _HIDDEN.sub(lambda code: re.sub(r"[^\n]", "*", code[0]), lines)
    for offset, sentence in split_sentences(text):
        for rule in RULES:
            for match in rule.pattern.finditer(sentence.replace("\n", " ")):
                line = passage.line + text.count("\n", 0, offset + match.start())
                yield ProseFinding(path, line, rule.name, rule.message.format(found=match[0]))

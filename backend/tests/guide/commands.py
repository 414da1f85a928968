"""The commands of the operator's guide, read from its Markdown."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from backend.core.config import ROOT

FOLDER = ROOT / "docs" / "operator-guide"
# The language of a fenced block whose lines are commands.
COMMANDS = frozenset({"sh", "sql"})
# The other languages that the guide uses: settings, configurations and output.
OTHER = frozenset({"caddyfile", "dotenv", "json", "nginx", "text", "yaml"})
# A code span that begins like this is a command.
_PROGRAM = re.compile(
    "(apt-get|cp|curl|docker|git|make|mkdir|mv|openssl|pg_[a-z]+|promtool|psql|systemctl|tacho) "
)
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^ *```$", re.MULTILINE | re.DOTALL
)
_SPAN = re.compile(r"`(?P<code>[^`]+)`")
_COMMENT = re.compile(r"(^|\s+)# .*$", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A command of the guide.

    Attributes:
        page: name of its file.
        text: the words of the guide, with comments.
        language: `sh` or `sql`.
    """

    page: str
    line: int
    text: str
    language: str

    @property
    def name(self) -> str:
        """Return the command in one line, without comments."""
        return normalize(self.text)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `line` is the number of its first line of content."""

    line: int
    language: str
    body: str


def normalize(text: str) -> str:
    """Return a command in one line: without comments and repeated spaces, and with `tacho` for its
    path in a clone."""
    joined = _COMMENT.sub("", text).replace("\\\n", " ")
    return " ".join(joined.split()).replace(".venv/bin/tacho ", "tacho ")


def list_pages() -> list[str]:
    """Return the names of all pages of the guide."""
    return sorted(path.name for path in FOLDER.glob("*.md"))


def read_page(name: str, folder: Path = FOLDER) -> str:
    """Return the Markdown of a page."""
    return (folder / name).read_text(encoding="utf-8")


def list_blocks(markdown: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        Block(
            line=markdown.count("\n", 0, found.start("body")) + 1,
            language=found["language"],
            body=re.sub(f"^{found['indent']}", "", found["body"], flags=re.MULTILINE),
        )
        for found in _FENCE.finditer(markdown)
    ]


def list_commands(page: str, markdown: str) -> list[Command]:
    """Return the commands in the fenced blocks of a page, in order."""
    return [
        Command(page, block.line + offset, text, block.language)
        for block in list_blocks(markdown)
        if block.language in COMMANDS
        for offset, text in _split(block)
    ]


def list_spans(markdown: str) -> list[str]:
    """Return the commands in the sentences of a page, normalized."""
    sentences = _FENCE.sub("", markdown)
    spans = [normalize(found["code"]) for found in _SPAN.finditer(sentences)]
    return [span for span in spans if _PROGRAM.match(span)]


def _split(block: Block) -> list[tuple[int, str]]:
    """Return the commands of a block, each with the number of its first line in the block."""
    commands: list[tuple[int, str]] = []
    lines: list[str] = []
    for number, line in enumerate(block.body.splitlines()):
        lines.append(line)
        text = "\n".join(lines)
        if not _is_complete(text, block.language):
            continue
        if normalize(text):
            commands.append((number - len(lines) + 1, text))
        lines = []
    if lines:
        raise ValueError(f"The block in line {block.line} ends within a command: {lines}")
    return commands


def _is_complete(text: str, language: str) -> bool:
    """Return whether no further line belongs to the command."""
    if language == "sql":
        return text.rstrip().endswith(";")
    if text.endswith("\\"):
        return False
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return True

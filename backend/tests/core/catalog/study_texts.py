"""Read the texts of the studies, with which tests compare the manifests."""

import re
from collections.abc import Iterator
from pathlib import Path

Grid = list[list[str]]

# Headings of texts that contain tabs but are not tables.
_NO_TABLE = ("CONTENT", "ABBREVIATIONS")
_PICTURE = re.compile(
    r"^\*\*(Figure \d+)\*\*|^(Fig\. \d+)\.|^!\[[^\]]*\]\((\S+?)(?: |\))", re.MULTILINE
)


def read_tables(path: Path) -> list[Grid]:
    """Return every table of a study's text in order, as text by row and column.

    Tables are written with pipes, or with tabs on at least two lines in a row.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    heading = ""
    tables: list[Grid] = []
    for block in _blocks(lines):
        if block[0].startswith("|"):
            rows = [line for line in block if not re.fullmatch(r"[|:\- ]+", line)]
            tables.append([[_plain(cell) for cell in row.strip("|").split("|")] for row in rows])
        elif all("\t" in line for line in block) and len(block) > 1:
            if not any(word in heading for word in _NO_TABLE):
                tables.append([[_plain(cell) for cell in row.split("\t")] for row in block])
        elif block[0].startswith("#"):
            heading = block[0]
    return tables


def list_pictures(path: Path) -> list[str]:
    """Return every picture of a study's text by its number, or else by the stem of its file."""
    text = path.read_text(encoding="utf-8")
    return [figure or fig or Path(file).stem for figure, fig, file in _PICTURE.findall(text)]


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield consecutive lines of the same kind: pipes, tabs, or others."""
    block: list[str] = []
    for line in [*lines, ""]:
        if block and (not line.strip() or _kind(line) != _kind(block[0])):
            yield block
            block = []
        if line.strip():
            block.append(line)


def _kind(line: str) -> str:
    if line.startswith("|"):
        return "pipes"
    return "tabs" if "\t" in line else "text"


def _plain(cell: str) -> str:
    return " ".join(re.sub(r"</?\w+>", "", cell).split())

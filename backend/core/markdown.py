"""Put text that others wrote into Markdown. The only place that escapes it.

The specification is CommonMark with the tables and the strikethrough of GitHub.
"""

import re
from collections.abc import Iterable

from backend.core.control_characters import escape_control_characters

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Other spaces, such as those within numbers, stay.
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
# An underscore within a word, as in `rate_rps`, marks nothing.
_MARKS = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")
# At the beginning of a line: headings, lists and rules.
_LEADING_MARK = re.compile(r"^[#+=-](?=[#=\s-]|$)")
_LEADING_NUMBER = re.compile(r"^(\d+)([.)])(?=\s|$)")


def escape_markdown(text: str) -> str:
    """Return the text in one line that shows as it is: without HTML, links, code and new cells."""
    line = escape_control_characters(_SPACES.sub(" ", text).strip())
    line = re.sub("[&<>]", lambda found: _ENTITIES[found[0]], line)
    line = _MARKS.sub(r"\\\g<0>", line)
    return _LEADING_NUMBER.sub(r"\1\\\2", _LEADING_MARK.sub(r"\\\g<0>", line))


def write_table_row(cells: Iterable[str]) -> str:
    """Return a row of a table. Cells with text of others must be escaped."""
    return f"| {' | '.join(cells)} |"

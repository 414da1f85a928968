"""Show control characters, for every place where people read text that others wrote.

In a terminal or a log, they could move the cursor, begin a forged line, or reverse the direction of
the text after them.
"""

import re

# C0, DEL and C1 with NEL; the separators of lines and paragraphs; marks, embeddings, overrides and
# isolates of the text direction; surrogates, which no encoding has.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escape_control_characters(text: str) -> str:
    """Return the text in one line, with escapes such as `\\n` and `\\x1b`."""
    return _UNSAFE.sub(_escape, text)


def escape_lines(text: str) -> str:
    """Return the text with its line breaks, and escapes for all other control characters."""
    return "\n".join(map(escape_control_characters, text.split("\n")))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()

"""Slugs of workspaces, which are their names in addresses; pure."""

import re
import unicodedata

MIN_LENGTH = 2
MAX_LENGTH = 40
SLUG_PATTERN = r"^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])$"
_OTHERS = re.compile(r"[^a-z0-9]+")


def make_slug(name: str) -> str:
    """Return a slug for the name of a workspace; too short if the name has too few letters."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _OTHERS.sub("-", plain).strip("-")[:MAX_LENGTH].strip("-")


def is_slug(text: str) -> bool:
    """Return whether a text can be the slug of a workspace."""
    return re.fullmatch(SLUG_PATTERN, text) is not None

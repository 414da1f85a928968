"""Short names for permalinks."""

import secrets

# No vowels, so that no slug is a word, and no characters that look alike.
ALPHABET = "23456789bcdfghjkmnpqrstvwxz"
LENGTH = 10


def new_slug() -> str:
    """Return a random slug of 10 characters: 47 bits, so an unlisted run cannot be guessed."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def is_slug(text: str) -> bool:
    """Return whether the text has the form of a slug."""
    return len(text) == LENGTH and set(text) <= set(ALPHABET)

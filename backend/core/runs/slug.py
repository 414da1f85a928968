"""Short names for permalinks."""

import secrets

# No vowels and no look-alikes: nothing rude, nothing misread over a telephone.
ALPHABET = "23456789bcdfghjkmnpqrstvwxz"
LENGTH = 10


def new_slug() -> str:
    """A random slug of 10 characters: 47 bits, so an unlisted run cannot be guessed."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def is_slug(text: str) -> bool:
    """Whether a run may be named so."""
    return len(text) == LENGTH and set(text) <= set(ALPHABET)

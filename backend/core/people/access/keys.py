"""Random keys of sessions, tokens and links. Only their hashes are stored."""

import hashlib
import secrets

TOKEN_PREFIX = "tacho_"  # noqa: S105
# 32 random bytes cannot be guessed, so a fast hash without salt is enough.
_BYTES = 32
_SHOWN = len(TOKEN_PREFIX) + 6


def make_key() -> str:
    """Return a new random key of a session or a link, in base64url."""
    return secrets.token_urlsafe(_BYTES)


def make_token() -> str:
    """Return a new random access token."""
    return TOKEN_PREFIX + make_key()


def hash_key(key: str) -> str:
    """Return the SHA-256 of a key, in hexadecimal.

    The database finds a key by this hash. How long that takes depends on the hash, so it reveals
    nothing about the key.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def show_prefix(token: str) -> str:
    """Return the first characters of a token, by which people recognise it."""
    return token[:_SHOWN]

"""Password hashes: Argon2id with the parameters that OWASP recommends.

A check takes 19 MiB of memory and some tens of milliseconds. Hashing holds no lock of Python.
"""

import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from backend.core.errors import InvalidRequest

SHORTEST = 10
LONGEST = 200

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def hash_password(password: str) -> str:
    """Return the hash to store, with its parameters and a random salt."""
    return _HASHER.hash(_normalize(password))


def check_new_password(password: str) -> None:
    """Raise InvalidRequest if a new password is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        detail = f"must have {SHORTEST} to {LONGEST} characters, but has {len(password)}."
        raise InvalidRequest.about("password", detail)


def is_right(password: str, stored: str | None) -> bool:
    """Return whether this is the password of a stored hash.

    Without a hash, the result is False after the same work, so that the time does not reveal
    whether there is an account.
    """
    if stored is None:
        hash_password(password)
        return False
    try:
        return _HASHER.verify(stored, _normalize(password))
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(stored: str) -> bool:
    """Return whether the hash was made with other parameters than the present ones."""
    return _HASHER.check_needs_rehash(stored)


def _normalize(password: str) -> str:
    """Return the same text for characters that keyboards encode differently, such as 'é'."""
    return unicodedata.normalize("NFKC", password)

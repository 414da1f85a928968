"""Remember whose requests count together, so that a request is counted while its sender is looked
up.
"""

from backend.core.people.access.keys import hash_key

# About 2 MB.
_MOST = 10_000


class KnownSenders:
    """The limit keys of the senders of earlier requests, by the hash of their token or cookie."""

    def __init__(self) -> None:
        self._limit_keys: dict[str, str] = {}

    def find(self, secret: str | None) -> str | None:
        """Return the limit key of the last sender with this token or cookie; None without one."""
        return None if secret is None else self._limit_keys.get(hash_key(secret))

    def remember(self, secret: str | None, limit_key: str | None) -> None:
        """Record the limit key of a sender, and forget the oldest one of too many.

        Args:
            limit_key: None if nothing is known about the sender.
        """
        if secret is None:
            return
        name = hash_key(secret)
        self._limit_keys.pop(name, None)
        if limit_key is not None:
            self._limit_keys[name] = limit_key
        if len(self._limit_keys) > _MOST:
            del self._limit_keys[next(iter(self._limit_keys))]

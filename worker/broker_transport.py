"""Kombu's transport for Redis as bench hosts use it: without scripts.

A script stops Redis for everybody while it runs, so a bench host's user may run none. Kombu needs a
script in one place only: to release the lock under which it delivers messages again that were not
acknowledged.
"""

import redis
from kombu.transport import TRANSPORT_ALIASES
from kombu.transport.redis import Channel, Transport
from redis.exceptions import LockNotOwnedError, WatchError
from redis.lock import Lock


class ScriptFreeLock(Lock):
    """A lock that is released in a transaction instead of a script."""

    def do_release(self, expected_token: str) -> None:
        """Delete the lock if it still has this token; raise LockNotOwnedError if it has not."""
        with self.redis.pipeline() as pipeline:
            pipeline.watch(self.name)
            if pipeline.get(self.name) != expected_token:
                raise LockNotOwnedError("The lock has expired.", lock_name=self.name)
            pipeline.multi()
            pipeline.delete(self.name)
            try:
                pipeline.execute()
            except WatchError as error:
                raise LockNotOwnedError("The lock has expired.", lock_name=self.name) from error


class _Client(redis.Redis):
    def lock(self, name: str, timeout: float | None = None) -> Lock:  # type: ignore[override]
        """Return a lock that needs no script."""
        return ScriptFreeLock(self, name, timeout=timeout)


class _ScriptFreeChannel(Channel):
    def _get_client(self) -> type[redis.Redis]:
        return _Client


class HostTransport(Transport):
    """Kombu's transport for Redis whose locks need no script."""

    Channel = _ScriptFreeChannel


def use_host_transport() -> None:
    """Let this process use `HostTransport` for addresses of Redis."""
    path = f"{HostTransport.__module__}:{HostTransport.__qualname__}"
    TRANSPORT_ALIASES.update(redis=path, rediss=path)

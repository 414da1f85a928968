"""Lose and repeat the messages of an installation that wait in Redis."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from backend.core.queue import REQUESTS, host_queue, open_redis
from tools.chaos.installation import ChaosInstallation
from tools.chaos.victims import send

# A consumer waits one second for a message, and a stopped consumer does not wait again.
_TAKES_NONE_S = 1.5


class Messages:
    """The queues of a bench host and of the dispatcher."""

    def __init__(self, host: str, read_url: Callable[[], str]) -> None:
        """Prepare.

        Args:
            host: `Host.queue` of the bench host.
            read_url: returns the URL of Redis, which changes when Tacho is started again.
        """
        self._queues = (host_queue(host), REQUESTS)
        self._read_url = read_url

    def lose(self) -> int:
        """Delete all messages, and return their number."""
        with open_redis(self._read_url()) as redis:
            count = sum(cast("int", redis.llen(queue)) for queue in self._queues)
            redis.delete(*self._queues)
        return count

    def repeat(self, copies: int) -> int:
        """Append copies of all messages, and return the number of copies."""
        count = 0
        with open_redis(self._read_url()) as redis:
            for queue in self._queues:
                waiting = cast("list[bytes]", redis.lrange(queue, 0, -1)) * copies
                if waiting:
                    redis.lpush(queue, *waiting)
                count += len(waiting)
        return count


@contextmanager
def withhold(installation: ChaosInstallation, part: str) -> Iterator[None]:
    """Stop a part inside the context, so that its messages stay in Redis."""
    process = installation.find_part(part)
    if process is None or not send(process, signal.SIGSTOP):
        raise TimeoutError(f"the {part} does not run")
    try:
        time.sleep(_TAKES_NONE_S)
        yield
    finally:
        send(process, signal.SIGCONT)

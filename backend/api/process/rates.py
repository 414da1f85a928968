"""Count the requests, failed sign-ins and wrong codes of each caller in Redis, and limit them.

While Redis does not answer, this process counts by itself, from zero. So no limit ends with Redis,
and an outage locks nobody out.
"""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import ceil
from typing import TypeVar
from uuid import UUID

from anyio import from_thread
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis import RedisError
from redis.asyncio import ConnectionPool

from backend.api.process.outages import OutageLog
from backend.core.errors import LimitExceeded, Unauthorized, WrongCode, WrongPassword
from backend.core.people.access.keys import hash_key
from backend.platform.network import name_network

_PREFIX = "tacho:limits"
# A request does not wait longer for Redis.
_TIMEOUT_SECONDS = 1.0
# After a failure, requests do not wait for Redis at all.
_PAUSE_SECONDS = 5.0
_BROKEN = (RedisError, OSError)
_FAILURE_MINUTES = 15
# Many people can share an address. Many addresses can attack one account.
_FAILURES_OF_ADDRESS = RateLimitItemPerMinute(30, _FAILURE_MINUTES, "failures-of-address")
_FAILURES_OF_ACCOUNT = RateLimitItemPerMinute(50, _FAILURE_MINUTES, "failures-of-account")
_WRONG_CODES = RateLimitItemPerMinute(30, _FAILURE_MINUTES, "wrong-codes")
_RESETS_OF_ADDRESS = RateLimitItemPerHour(20, 1, "resets-of-address")
# Nobody's mailbox can be filled.
_RESETS_OF_ACCOUNT = RateLimitItemPerHour(3, 1, "resets-of-account")

# A limit, and whose use of it is counted.
_Limit = tuple[RateLimitItem, str]
Answer = TypeVar("Answer")


class RateLimits:
    """The limits of requests and of failed sign-ins, shared by all API processes through Redis.

    Args:
        requests_per_minute: of a person, workspace token or address; 0 for no limit.
    """

    def __init__(self, redis_url: str, requests_per_minute: int) -> None:
        self._connections = ConnectionPool.from_url(
            redis_url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
        )
        storage = RedisStorage(
            "async+redis://",
            implementation="redispy",
            key_prefix=_PREFIX,
            connection_pool=self._connections,  # type: ignore[arg-type]
        )
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._next_try = 0.0
        self._requests = RateLimitItemPerMinute(requests_per_minute)
        self._outages = OutageLog(
            "Redis",
            "does not answer, so this process counts requests by itself",
            "answers and counts requests",
        )

    async def count_request(self, key: str | None) -> None:
        """Count a request of a caller. Raises LimitExceeded if it is one too many.

        Args:
            key: of the caller; None for callers without limits, here and below.
        """
        if key is None or not self._requests.amount or await self._hit(self._requests, key):
            return
        seconds = await self._find_wait_seconds(self._requests, key)
        raise LimitExceeded(
            f"You sent more than {self._requests.amount:,} requests in one minute. Try again in "
            f"{seconds} s, and then send them more slowly.",
            seconds,
        )

    async def count_requests_used(self, key: str | None) -> int:
        """Return how many requests of the last minute count for a caller."""
        if key is None or not self._requests.amount:
            return 0
        stats = await self._use(lambda limiter: limiter.get_window_stats(self._requests, key))
        return self._requests.amount - stats.remaining

    async def check_failures(self, address: str, account: str | None) -> None:
        """Raise LimitExceeded if too many sign-ins of an address or to an account were refused.

        Args:
            account: the e-mail address that the sign-in names; None without one.
        """
        await self._check_failures(_list_failure_limits(address, account))

    async def count_failure(self, address: str, account: str | None) -> None:
        """Count a refused sign-in."""
        await self._count_failure(_list_failure_limits(address, account))

    def guard_sign_in(self, address: str, account: str | None) -> AbstractContextManager[None]:
        """Let a thread of a request try a password or token, and count it if it is refused.

        Raises:
            LimitExceeded: as check_failures.
        """
        return self._guard(_list_failure_limits(address, account))

    def guard_code(self, person: UUID) -> AbstractContextManager[None]:
        """Let a thread of a request try a code of a device login, and count it if it is wrong.

        These do not count as refused sign-ins, so that nobody is locked out by wrong codes.

        Raises:
            LimitExceeded: the person has tried too many wrong codes.
        """
        return self._guard([(_WRONG_CODES, str(person))])

    @contextmanager
    def _guard(self, limits: Sequence[_Limit]) -> Iterator[None]:
        from_thread.run(self._check_failures, limits)
        try:
            yield
        except (Unauthorized, WrongCode, WrongPassword):
            from_thread.run(self._count_failure, limits)
            raise

    async def _check_failures(self, limits: Sequence[_Limit]) -> None:
        for item, key in limits:
            if not await self._is_allowed(item, key):
                seconds = await self._find_wait_seconds(item, key)
                what = "codes were wrong" if item is _WRONG_CODES else "sign-ins failed"
                raise LimitExceeded(
                    f"Too many {what} in the last {_FAILURE_MINUTES} minutes. Try again in "
                    f"{seconds} s. Sessions and access tokens still work.",
                    seconds,
                )

    async def _count_failure(self, limits: Sequence[_Limit]) -> None:
        for item, key in limits:
            await self._hit(item, key)

    async def count_reset(self, address: str) -> None:
        """Count the request of a reset link. Raises LimitExceeded if it is one too many."""
        key = name_network(address)
        if await self._hit(_RESETS_OF_ADDRESS, key):
            return
        seconds = await self._find_wait_seconds(_RESETS_OF_ADDRESS, key)
        raise LimitExceeded(
            f"You requested too many links. Try again in {seconds} s, or ask an operator.", seconds
        )

    async def allow_reset(self, account: str) -> bool:
        """Count a reset link for an account, and return whether it may be sent."""
        return await self._hit(_RESETS_OF_ACCOUNT, account.lower())

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    async def _hit(self, item: RateLimitItem, key: str) -> bool:
        """Count one, and return whether the limit allows it."""
        return await self._use(lambda limiter: limiter.hit(item, key))

    async def _is_allowed(self, item: RateLimitItem, key: str) -> bool:
        """Return whether the limit allows one more, without counting it."""
        return await self._use(lambda limiter: limiter.test(item, key))

    async def _find_wait_seconds(self, item: RateLimitItem, key: str) -> int:
        """Return after how many seconds the limit allows one more."""
        stats = await self._use(lambda limiter: limiter.get_window_stats(item, key))
        return max(1, ceil(stats.reset_time - time.time()))

    async def _use(
        self, ask: Callable[[SlidingWindowCounterRateLimiter], Awaitable[Answer]]
    ) -> Answer:
        """Return the answer of the counters in Redis, or else of those of this process."""
        if time.monotonic() >= self._next_try:
            try:
                answer = await ask(self._shared)
            except _BROKEN as error:
                self._outages.note_failure(error)
                self._next_try = time.monotonic() + _PAUSE_SECONDS
            else:
                self._outages.note_success()
                return answer
        return await ask(self._own)


def _list_failure_limits(address: str, account: str | None) -> list[_Limit]:
    limits: list[_Limit] = [(_FAILURES_OF_ADDRESS, name_network(address))]
    if account is not None:
        limits.append((_FAILURES_OF_ACCOUNT, account.lower()))
    return limits


class StreamLimit:
    """Limits the event streams that each caller has open in this API process.

    Args:
        most: of a person, workspace token or address; 0 for no limit.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def count(self, key: str | None) -> int:
        """Return the number of open streams of a caller."""
        return self._open.get(key or "", 0)

    def open(self, key: str | None) -> "OpenStream":
        """Count a stream of a caller until it is closed. Raises LimitExceeded.

        Args:
            key: of the caller; None for callers without limits.
        """
        if key is not None and self._most and self._open.get(key, 0) >= self._most:
            raise LimitExceeded(
                f"You have {self._most:,} event streams open. Close some of them first.", 10
            )
        return OpenStream(self._open, key)


class OpenStream:
    """An event stream that counts until it is closed."""

    def __init__(self, counts: dict[str, int], key: str | None) -> None:
        self._counts = counts
        self._key = key
        if key is not None:
            counts[key] = counts.get(key, 0) + 1

    def close(self) -> None:
        """Stop counting the stream."""
        key, self._key = self._key, None
        if key is not None:
            self._counts[key] -= 1
            if not self._counts[key]:
                del self._counts[key]


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

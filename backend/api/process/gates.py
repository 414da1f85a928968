"""Bounds on how many requests do something at the same time. Requests that wait hold no thread."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from functools import partial
from typing import Generic, TypeVar

from backend.core.errors import Unavailable

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")

# A rest takes this many times the duration of the work before it. With 2.0 for turns, the exports
# of `make bench-limits` took longer than its 120 s.
_REST_OF_TURN = 1.5
_REST_OF_CALL = 2.0


class Gate:
    """Lets `size` callers in at the same time, in the order in which they came.

    Args:
        wait_seconds: how long a caller waits for its turn before it gets Unavailable.
        subject: what is limited, for the error message: "database connections".
        rests: whether a turn is free only after a rest when others wait for it, so that these
            callers together compute for at most two fifths of the time.
    """

    def __init__(
        self, size: int, wait_seconds: float, subject: str, *, rests: bool = False
    ) -> None:
        self.size = size
        self._turns = asyncio.Semaphore(size)
        self._wait_seconds = wait_seconds
        self._rests = rests
        self._waiting = 0
        self._in_use = 0
        self._refused = 0
        self._detail = (
            f"All {size} {subject} of the API are in use. Try again in a moment."
            if size > 1
            else f"The API is busy with other {subject}. Try again in a moment."
        )

    @property
    def waiting(self) -> int:
        """Return how many callers wait for a turn."""
        return self._waiting

    @property
    def in_use(self) -> int:
        """Return how many turns are held, or rest."""
        return self._in_use

    @property
    def refused(self) -> int:
        """Return how many callers got no turn in time since the start of this process."""
        return self._refused

    @asynccontextmanager
    async def enter(self, *, is_patient: bool = False) -> AsyncIterator[None]:
        """Hold one turn.

        Args:
            is_patient: wait without a limit, for answers that have begun.

        Raises:
            Unavailable: no turn was free in time.
        """
        self._waiting += 1
        try:
            async with asyncio.timeout(None if is_patient else self._wait_seconds):
                await self._turns.acquire()
        except TimeoutError as error:
            self._refused += 1
            raise Unavailable(self._detail) from error
        finally:
            self._waiting -= 1
        self._in_use += 1
        begin = time.monotonic()
        try:
            yield
        finally:
            if self._rests and self._waiting:
                rest = _REST_OF_TURN * (time.monotonic() - begin)
                asyncio.get_running_loop().call_later(rest, self._release)
            else:
                self._release()

    def _release(self) -> None:
        self._in_use -= 1
        self._turns.release()


class Pace:
    """Lets callers go on at least `seconds` apart. A caller that comes alone does not wait."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0

    async def wait(self) -> None:
        """Wait for the next free time, in the order in which callers came."""
        now = time.monotonic()
        at = max(now, self._next)
        self._next = at + self._seconds
        if at > now:
            await asyncio.sleep(at - now)


class Shared(Generic[Result]):
    """Calls one function for all callers that wait at the same time.

    A call that a caller gets the result of always begins after the caller came, so that nobody
    gets a state that is older than their request. After a call for several callers the next one
    begins only after a rest, so that callers who come back at once make the function compute for
    at most a third of the time.

    Args:
        on_idle: called when no call waits or runs any more.
    """

    def __init__(
        self,
        function: Callable[[], Awaitable[Result]],
        on_idle: Callable[[], object] = lambda: None,
    ) -> None:
        self._function = function
        self._on_idle = on_idle
        self._lock = asyncio.Lock()
        self._next: _Call[Result] | None = None

    async def get(self) -> Result:
        """Return the result of the next call."""
        if self._next is None:
            self._next = _Call()
            self._next.task = asyncio.create_task(self._run(self._next))
        call = self._next
        call.callers += 1
        return await asyncio.shield(call.result)

    async def _run(self, call: "_Call[Result]") -> None:
        async with self._lock:
            self._next = None
            begin = time.monotonic()
            try:
                call.result.set_result(await self._function())
            except Exception as error:  # noqa: BLE001 - raised in the callers
                call.result.set_exception(error)
                # All callers may be gone.
                call.result.exception()
            if call.callers > 1:
                await asyncio.sleep(_REST_OF_CALL * (time.monotonic() - begin))
        if self._next is None:
            self._on_idle()


class _Call(Generic[Result]):
    """One call of the function, and how many callers wait for it."""

    def __init__(self) -> None:
        self.callers = 0
        self.result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        # The event loop keeps only a weak reference to a task.
        self.task: asyncio.Task[None] | None = None


class SharedCalls(Generic[Key, Result]):
    """Shared calls of one function with different arguments.

    The function gets nothing but the key, so no caller gets a result of the request of another.

    Args:
        function: called with a key.
    """

    def __init__(self, function: Callable[[Key], Awaitable[Result]]) -> None:
        self._function = function
        self._calls: dict[Key, Shared[Result]] = {}

    async def get(self, key: Key) -> Result:
        """Return the result of the next call with this key."""
        if key not in self._calls:
            self._calls[key] = Shared(
                partial(self._function, key), on_idle=lambda: self._calls.pop(key)
            )
        return await self._calls[key].get()

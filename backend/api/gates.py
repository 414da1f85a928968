"""Bounds on how many requests do something at the same time. Requests that wait hold no thread."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

from backend.core.errors import Unavailable

Result = TypeVar("Result")


class Gate:
    """Lets `size` callers in at the same time, in the order in which they came.

    Args:
        wait_seconds: how long a caller waits for its turn before it gets Unavailable.
        subject: what is limited, for the error message: "database connections".
    """

    def __init__(self, size: int, wait_seconds: float, subject: str) -> None:
        self._turns = asyncio.Semaphore(size)
        self._wait_seconds = wait_seconds
        self._detail = (
            f"All {size} {subject} of the API are in use. Try again in a moment."
            if size > 1
            else f"The API is busy with other {subject}. Try again in a moment."
        )

    @asynccontextmanager
    async def enter(self, *, is_patient: bool = False) -> AsyncIterator[None]:
        """Hold one turn.

        Args:
            is_patient: wait without a limit, for answers that have begun.

        Raises:
            Unavailable: no turn was free in time.
        """
        try:
            async with asyncio.timeout(None if is_patient else self._wait_seconds):
                await self._turns.acquire()
        except TimeoutError as error:
            raise Unavailable(self._detail) from error
        try:
            yield
        finally:
            self._turns.release()


class Shared(Generic[Result]):
    """Calls one function for all callers that wait at the same time.

    A call that a caller gets the result of always begins after the caller came, so that nobody
    gets a state that is older than their request.
    """

    def __init__(self, function: Callable[[], Awaitable[Result]]) -> None:
        self._function = function
        self._lock = asyncio.Lock()
        self._next: asyncio.Task[Result] | None = None

    async def get(self) -> Result:
        """The result of the next call."""
        if self._next is None:
            self._next = asyncio.create_task(self._call())
            # Nobody may be left to take the exception.
            self._next.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(self._next)

    @property
    def is_idle(self) -> bool:
        """Whether no call waits or runs."""
        return self._next is None and not self._lock.locked()

    async def _call(self) -> Result:
        async with self._lock:
            self._next = None
            return await self._function()


class SharedCalls(Generic[Result]):
    """Shared calls of several functions, each under its key."""

    def __init__(self) -> None:
        self._calls: dict[Hashable, Shared[Result]] = {}

    async def get(self, key: Hashable, function: Callable[[], Awaitable[Result]]) -> Result:
        """The result of the next call for the key. All functions of one key do the same."""
        shared = self._calls.setdefault(key, Shared(function))
        try:
            return await shared.get()
        finally:
            if shared.is_idle and self._calls.get(key) is shared:
                del self._calls[key]

"""Bounds on how many requests do something at the same time. Requests that wait hold no thread."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import partial
from typing import Generic, TypeVar

from backend.api.process.callers import ComputingTime, find_current_caller
from backend.core.errors import LimitExceeded, Unavailable

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")

# A rest takes this many times the duration of the work before it.
_REST_OF_TURN = 1.0
_REST_OF_CALL = 4.0
# After this time a caller whose own requests hold all turns may repeat one.
_RETRY_SECONDS = 2
# Whether this task holds a turn of a gate.
_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)


class Gate:
    """Lets `size` requests in at the same time. Callers take turns, so a caller who sends many
    requests waits behind their own, and the next request of another caller goes first.

    A caller holds at most half of the turns, so that others always find one. Heavy callers hold
    one, and rest after each, so that they compute for at most half of the time. Requests
    without a caller have no such limit.

    Args:
        wait_seconds: how long a request waits for its turn before it is refused.
        subject: what is limited, for the error message: "database connections".
        rests: whether a turn is free only after a rest when others wait for it, so that these
            requests together compute for at most half of the time.
        computing: knows the heavy callers. Default: there are none.
        is_inner: whether the limits of callers do not apply to a request that holds a turn of
            another gate. It would wait with that turn, and so would others.
    """

    def __init__(
        self,
        size: int,
        wait_seconds: float,
        subject: str,
        *,
        rests: bool = False,
        computing: ComputingTime | None = None,
        is_inner: bool = False,
    ) -> None:
        self.size = size
        self._most_of_caller = max(1, size // 2)
        self._wait_seconds = wait_seconds
        self._subject = subject
        self._rests = rests
        self._computing = computing
        self._is_inner = is_inner
        self._resting: set[str] = set()
        self._held: Counter[str | None] = Counter()
        # The requests that wait, by caller. The first caller is the next to get a turn.
        self._queues: dict[str | None, deque[asyncio.Future[None]]] = {}
        self._refused = 0

    @property
    def waiting(self) -> int:
        """Return how many requests wait for a turn."""
        return sum(map(len, self._queues.values()))

    @property
    def in_use(self) -> int:
        """Return how many turns are held, or rest."""
        return self._held.total()

    @property
    def refused(self) -> int:
        """Return how many requests got no turn in time since the start of this process."""
        return self._refused

    @asynccontextmanager
    async def enter(
        self, *, is_patient: bool = False, is_quick: bool = False
    ) -> AsyncIterator[None]:
        """Hold one turn.

        Args:
            is_patient: wait without a limit, for answers that have begun.
            is_quick: heavy callers do not rest before and after it.

        Raises:
            LimitExceeded: other requests of the caller held all turns that the caller may have.
            Unavailable: no turn was free in time.
        """
        has_turn = _has_turn.get()
        caller = None if self._is_inner and has_turn else find_current_caller()
        if self._may_begin(caller) and (is_quick or not self._must_rest(caller)):
            self._held[caller] += 1
        else:
            await self._wait(caller, None if is_patient else self._wait_seconds)
        begin = time.monotonic()
        _has_turn.set(True)
        try:
            yield
        finally:
            _has_turn.set(has_turn)
            if not is_quick:
                self._let_rest(caller, time.monotonic() - begin)
            if self._rests and self._queues:
                rest = _REST_OF_TURN * (time.monotonic() - begin)
                asyncio.get_running_loop().call_later(rest, self._release, caller)
            else:
                self._release(caller)

    def _may_begin(self, caller: str | None) -> bool:
        has_share = caller is None or self._held[caller] < self._most_of_caller
        return has_share and self._held.total() < self.size

    def _must_rest(self, caller: str | None) -> bool:
        """Return whether a heavy caller rests, or holds a turn already."""
        if caller in self._resting:
            return True
        return bool(self._held[caller]) and self._is_heavy(caller)

    def _is_heavy(self, caller: str | None) -> bool:
        return self._computing is not None and self._computing.is_heavy(caller)

    def _let_rest(self, caller: str | None, seconds: float) -> None:
        """Let a heavy caller rest after a turn of these seconds."""
        if caller is None or caller in self._resting or not self._is_heavy(caller):
            return
        self._resting.add(caller)
        asyncio.get_running_loop().call_later(_REST_OF_TURN * seconds, self._end_rest, caller)

    def _end_rest(self, caller: str) -> None:
        self._resting.discard(caller)
        self._begin_others()

    async def _wait(self, caller: str | None, seconds: float | None) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(caller, deque()).append(turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                # The turn came at the same moment.
                self._release(caller)
            else:
                self._leave(caller, turn)
            if isinstance(error, TimeoutError):
                self._refused += 1
                raise self._explain(caller) from None
            raise

    def _leave(self, caller: str | None, turn: asyncio.Future[None]) -> None:
        queue = self._queues.get(caller)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[caller]

    def _explain(self, caller: str | None) -> Exception:
        if caller is not None and (
            self._held[caller] >= self._most_of_caller or self._must_rest(caller)
        ):
            return LimitExceeded(
                "Your other requests take too long for this one to begin. Send fewer large "
                "requests at the same time.",
                _RETRY_SECONDS,
            )
        if self.size > 1:
            return Unavailable(
                f"All {self.size} {self._subject} of the API are in use. Try again in a moment."
            )
        return Unavailable(f"The API is busy with other {self._subject}. Try again in a moment.")

    def _release(self, caller: str | None) -> None:
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]
        self._begin_others()

    def _begin_others(self) -> None:
        """Give the free turns to requests that wait."""
        for caller in list(self._queues):
            if self._may_begin(caller) and not self._must_rest(caller):
                self._begin_next(caller)

    def _begin_next(self, caller: str | None) -> None:
        """Give a turn to the next request of a caller, if one still waits."""
        queue = self._queues.pop(caller)
        while queue:
            turn = queue.popleft()
            if turn.done():
                # Cancelled a moment ago.
                continue
            if queue:
                # Behind all other callers.
                self._queues[caller] = queue
            self._held[caller] += 1
            turn.set_result(None)
            return


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
    at most a fifth of the time.

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
        """Return the result of the next call, which runs in the task of its first caller."""
        while True:
            is_first = self._next is None
            if self._next is None:
                self._next = _Call()
                self._next.task = asyncio.create_task(self._run(self._next))
            call = self._next
            call.callers += 1
            try:
                return await asyncio.shield(call.result)
            except LimitExceeded:
                # It is the limit of the first caller.
                if is_first:
                    raise

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

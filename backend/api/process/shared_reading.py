"""A reading that all callers share, so that a part that hangs occupies one thread, not many."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class SharedReading(Generic[T]):
    """Reads one thing on one thread at a time; the result serves everyone for `keep_s`.

    A reading that takes longer than `limit_s` counts as failed for all callers until it ends.
    """

    def __init__(self, read: Callable[[], T], *, limit_s: float, keep_s: float) -> None:
        self._read = read
        self._limit_s = limit_s
        self._keep_s = keep_s
        self._begun = 0.0
        self._reading: Future[T] | None = None
        self._lock = threading.Lock()

    async def get(self) -> T:
        """The latest result; raises what the reading raised, or `TimeoutError`."""
        reading, left_s = self._join()
        if not reading.done():
            await asyncio.wait([_watch(reading)], timeout=max(0.0, left_s))
        if not reading.done():
            raise TimeoutError
        return reading.result()

    def _join(self) -> tuple["Future[T]", float]:
        """The reading to wait for, and how long it may still take."""
        with self._lock:
            now = time.monotonic()
            reading = self._reading
            if reading is None or (reading.done() and now - self._begun >= self._keep_s):
                reading, self._begun = Future(), now
                self._reading = reading
                # A daemon: a part that hangs must not keep this process from ending.
                threading.Thread(
                    target=self._run, args=(reading,), name="health", daemon=True
                ).start()
            return reading, self._begun + self._limit_s - now

    def _run(self, reading: "Future[T]") -> None:
        try:
            reading.set_result(self._read())
        except BaseException as error:  # noqa: BLE001 - raised again for each caller
            reading.set_exception(error)


def _watch(reading: "Future[T]") -> "asyncio.Future[None]":
    """A future that is done when the reading has ended, even with an error. Cancelling it does not
    stop the reading."""
    loop = asyncio.get_running_loop()
    watch: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not watch.done():
            watch.set_result(None)

    def wake(_: "Future[T]") -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle)

    reading.add_done_callback(wake)
    return watch

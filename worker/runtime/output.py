"""Takes a command's output from the threads that read it to the one that wants it."""

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

from worker.runtime.errors import CancelledByUser

STDERR_TAIL_BYTES = 64 * 1024
LOG_TAIL_BYTES = 256 * 1024
_POLL_S = 0.2

T = TypeVar("T")


class Tail:
    """Keeps the last bytes of a stream; safe to write and read from different threads."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._kept = bytearray()
        self._lock = threading.Lock()

    def write(self, chunk: bytes) -> None:
        """Append, forgetting what exceeds the limit."""
        with self._lock:
            self._kept += chunk
            del self._kept[: -self._limit_bytes]

    @property
    def text(self) -> str:
        """What is kept, as text; bytes that are not UTF-8 are replaced."""
        with self._lock:
            return self._kept.decode(errors="replace")


class LineStream:
    """Bytes go in by chunks, lines come out one by one as soon as they are complete."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._rest = b""

    def write(self, chunk: bytes) -> None:
        """Add what was read, wherever it was cut."""
        *complete, self._rest = (self._rest + chunk).split(b"\n")
        for line in complete:
            self._queue.put(line.decode(errors="replace").removesuffix("\r"))

    def close(self) -> None:
        """No more will come; a last line without its end still counts."""
        if self._rest:
            self._queue.put(self._rest.decode(errors="replace"))
            self._rest = b""
        self._queue.put(None)

    def lines(self) -> Iterator[str]:
        """Every line until the stream is closed; for one reader, once."""
        while (line := self._queue.get()) is not None:
            yield line


def run_cancellable(
    work: Callable[[Callable[[str], None]], T],
    on_log: Callable[[str], None],
    is_cancelled: Callable[[], bool],
    stop: Callable[[], None],
) -> T:
    """Do `work` in a thread, relaying each line it reports to `on_log`; returns its result.

    Calls `stop`, which should make `work` end, and raises `CancelledByUser` within a fraction
    of a second after `is_cancelled` turned true, however silent the work is. Errors of the work
    are raised here.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(lines.put))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            outcome.set_exception(error)
        lines.put(None)

    threading.Thread(target=run, name="build", daemon=True).start()
    while True:
        if is_cancelled():
            stop()
            raise CancelledByUser("The run was cancelled while its service was being built.")
        try:
            line = lines.get(timeout=_POLL_S)
        except queue.Empty:
            continue
        if line is None:
            return outcome.result()
        on_log(line)

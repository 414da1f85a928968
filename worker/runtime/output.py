"""Passes a command's output from the threads that read it to the thread that uses it."""

import queue
import threading
from collections.abc import Iterator

STDERR_TAIL_BYTES = 64 * 1024
LOG_TAIL_BYTES = 256 * 1024


class Tail:
    """Keeps the last bytes of a stream; different threads may write and read it."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._kept = bytearray()
        self._lock = threading.Lock()

    def write(self, chunk: bytes) -> None:
        """Append bytes, and drop the oldest beyond the limit."""
        with self._lock:
            self._kept += chunk
            del self._kept[: -self._limit_bytes]

    @property
    def text(self) -> str:
        """Return the stored bytes as text; bytes that are not UTF-8 are replaced."""
        with self._lock:
            return self._kept.decode(errors="replace")


class LineStream:
    """Turns chunks of bytes into lines as soon as they are complete."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._rest = b""

    def write(self, chunk: bytes) -> None:
        """Add a chunk, which may end anywhere in a line."""
        *complete, self._rest = (self._rest + chunk).split(b"\n")
        for line in complete:
            self._queue.put(line.decode(errors="replace").removesuffix("\r"))

    def close(self) -> None:
        """End the stream; a last line without its end still counts."""
        if self._rest:
            self._queue.put(self._rest.decode(errors="replace"))
            self._rest = b""
        self._queue.put(None)

    def lines(self) -> Iterator[str]:
        """Yield every line until the stream is closed; for a single reader."""
        while (line := self._queue.get()) is not None:
            yield line

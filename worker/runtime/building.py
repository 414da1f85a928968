"""The parts of a build that all runtimes share: deadline, cancelling, and logs of bounded size."""

import os
import queue
import select
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from typing import IO, TypeVar

from worker.runtime.errors import BuildFailed, CancelledByUser
from worker.runtime.output import LOG_TAIL_BYTES

OnLog = Callable[[str], None]

_HEAD_BYTES = LOG_TAIL_BYTES // 4
_MAX_LINE_BYTES = 8 * 1024
_CHUNK_BYTES = 64 * 1024
_WAITING_LINES = 1_000
_POLL_S = 0.2
_END_S = 1.0

T = TypeVar("T")


class BoundedLog:
    """The beginning and the end of a log, with a line about the size of the cut between them."""

    def __init__(
        self, head_bytes: int = _HEAD_BYTES, tail_bytes: int = LOG_TAIL_BYTES - _HEAD_BYTES
    ) -> None:
        self._head_left = head_bytes
        self._tail_bytes = tail_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._cut_bytes = 0
        self._lock = threading.Lock()

    def write(self, line: str) -> None:
        """Append a line; `line` has no line end."""
        self.write_bytes(line.encode(errors="replace") + b"\n")

    def write_bytes(self, chunk: bytes) -> None:
        """Append bytes unchanged."""
        with self._lock:
            first = chunk[: self._head_left]
            self._head += first
            self._head_left -= len(first)
            self._tail += chunk[len(first) :]
            surplus = len(self._tail) - self._tail_bytes
            # Cut in large pieces, because moving the whole tail for each line would be slow.
            if surplus > self._tail_bytes:
                self._cut(surplus)

    def _cut(self, surplus: int) -> None:
        del self._tail[:surplus]
        self._cut_bytes += surplus

    @property
    def text(self) -> str:
        """Return the stored text; bytes that are not UTF-8 are replaced."""
        with self._lock:
            self._cut(max(0, len(self._tail) - self._tail_bytes))
            head, tail = (part.decode(errors="replace") for part in (self._head, self._tail))
            if self._cut_bytes == 0:
                return (head + tail).removesuffix("\n")
            gap = f"\n[{self._cut_bytes:,} bytes of this log were cut here]\n"
            return (head.removesuffix("\n") + gap + tail).removesuffix("\n")


def read_lines(stream: IO[bytes]) -> Iterator[str]:
    """Yield the lines of a stream without their ends; a very long line is yielded in pieces."""
    return (line for line in read_lines_or_wait(stream, quiet_s=None) if line is not None)


def read_lines_or_wait(stream: IO[bytes], quiet_s: float | None) -> Iterator[str | None]:
    """Yield lines as `read_lines` does, and None whenever there was no output for `quiet_s`."""
    rest = b""
    readable = select.poll()
    readable.register(stream, select.POLLIN)
    while True:
        if not readable.poll(None if quiet_s is None else quiet_s * 1000):
            yield None
            continue
        chunk = os.read(stream.fileno(), _CHUNK_BYTES)
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield from _pieces(line)
        while len(rest) >= _MAX_LINE_BYTES:
            yield _decode(rest[:_MAX_LINE_BYTES])
            rest = rest[_MAX_LINE_BYTES:]
    if rest:
        yield _decode(rest)


def _pieces(line: bytes) -> Iterator[str]:
    for begin in range(0, max(1, len(line)), _MAX_LINE_BYTES):
        yield _decode(line[begin : begin + _MAX_LINE_BYTES])


def _decode(line: bytes) -> str:
    return line.decode(errors="replace").rstrip()


def describe_overdue(name: str, limit_s: float) -> str:
    """Return why a build was stopped at its deadline, and what to do."""
    return (
        f"The build of {name} did not end within {limit_s:g} s and was stopped. Its log shows how "
        "far it came. If it needs longer, set TACHO_BUILD_SECONDS to a higher number."
    )


class _Stopped(Exception):
    """Ends the thread of a build whose lines are no longer read."""


class _Lines:
    """Passes lines from the thread of a build. A build that writes too fast waits."""

    def __init__(self) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue(_WAITING_LINES)
        self._stopped = threading.Event()

    def put(self, line: str | None) -> None:
        while not self._stopped.is_set():
            try:
                self._queue.put(line, timeout=_POLL_S)
                return
            except queue.Full:
                continue
        raise _Stopped

    def get(self) -> str | None:
        """Return the next line; raises `queue.Empty` if no line arrives for a while."""
        return self._queue.get(timeout=_POLL_S)

    def stop(self) -> None:
        self._stopped.set()


def run_build(
    name: str,
    work: Callable[[OnLog], T],
    log: BoundedLog,
    on_log: OnLog,
    is_cancelled: Callable[[], bool],
    stop: Callable[[], None],
    *,
    limit_s: float,
) -> T:
    """Do `work` in a thread and return its result. Each line it reports goes to both logs.

    The work is stopped within a fraction of a second after `is_cancelled` turned true or `limit_s`
    passed, independent of its output. `stop` makes it end.

    Raises:
        CancelledByUser: the run was cancelled.
        BuildFailed: the time is over; the detail names the limit and its setting.
    """
    lines = _Lines()
    outcome: Future[T] = Future()

    def report(line: str) -> None:
        log.write(line)
        lines.put(line)

    def run() -> None:
        try:
            outcome.set_result(work(report))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            outcome.set_exception(error)
        with suppress(_Stopped):
            lines.put(None)

    thread = threading.Thread(target=run, name="build", daemon=True)
    thread.start()
    deadline = time.monotonic() + limit_s
    try:
        while True:
            if is_cancelled():
                raise CancelledByUser("The run was cancelled while its service was being built.")
            if time.monotonic() > deadline and not outcome.done():
                raise BuildFailed(describe_overdue(name, limit_s), log.text)
            try:
                line = lines.get()
            except queue.Empty:
                continue
            if line is None:
                return outcome.result()
            on_log(line)
    finally:
        lines.stop()
        if not outcome.done():
            stop()
            thread.join(_END_S)

"""Runs two trials at the same time whose loads take turns of a second.

Both meet the same changes of the machine's speed, so these cancel out in the ratio of a metric.
"""

import threading
from types import TracebackType
from typing import Self

_TRIALS = 2
# A turn of this load, and one of the other.
CYCLE_SECONDS = _TRIALS
# The other trial has not processed the same second yet.
_NOTICE_SECONDS = 2


class Turns:
    """Two trials of a pair: they start one after the other, and measure the same seconds."""

    def __init__(self) -> None:
        self.starting = threading.Lock()
        self.are_ready = threading.Barrier(_TRIALS)
        self.has_failed = threading.Event()
        self._lock = threading.Lock()
        self._proposed: dict[int, int] = {}

    def fail(self) -> None:
        """End both trials."""
        self.has_failed.set()
        self.are_ready.abort()

    def propose(self, index: int, second: int) -> int | None:
        """Return the second of the load from which both trials count; None until both are steady.

        Args:
            index: of the trial that is steady.
            second: its next second.
        """
        with self._lock:
            self._proposed.setdefault(index, second)
            if len(self._proposed) < _TRIALS:
                return None
            return max(self._proposed.values()) + _NOTICE_SECONDS


class Turn:
    """The part of one of two trials. Its services start in `with`, alone on the machine.

    Attributes:
        index: 0 or 1.
    """

    def __init__(self, turns: Turns, index: int) -> None:
        self.index = index
        self._turns = turns
        self._is_starting = False

    def __enter__(self) -> Self:
        self._turns.starting.acquire()
        self._is_starting = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end_start()
        if error is not None:
            self._turns.fail()

    def await_other(self) -> None:
        """Let the other trial start its services, and wait until they are verified."""
        self._end_start()
        # A broken barrier means that the other trial has failed. The watch ends this one.
        try:
            self._turns.are_ready.wait()
        except threading.BrokenBarrierError:
            self._turns.has_failed.wait()

    def agree(self, second: int) -> int | None:
        """Return the second from which both trials count, as `Turns.propose` does."""
        return self._turns.propose(self.index, second)

    def _end_start(self) -> None:
        if self._is_starting:
            self._is_starting = False
            self._turns.starting.release()

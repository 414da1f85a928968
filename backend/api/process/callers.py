"""The caller whose request a task runs, and the computing time that each caller has left."""

import time
from contextvars import ContextVar
from math import ceil

from backend.core.errors import LimitExceeded

# The results of the largest example run take 0.2 s of CPU time.
BURST_SECONDS = 30.0
# Seconds of computing that a caller gets back per second: half of what one process can do.
REFILL = 0.5
# A caller who has spent more computes one request at a time, with rests. Pages need less.
FREE_SECONDS = 2.0
# Requests that were under way when the time was used up cost no more than this.
_MOST_DEBT_SECONDS = 10.0
# About 2 MB.
_MOST_CALLERS = 10_000

_caller: ContextVar[str | None] = ContextVar("caller", default=None)


def set_current_caller(key: str | None) -> None:
    """Record whose request this task and its threads run.

    Args:
        key: the limit key of the caller; None for callers without limits, and for work that no
            caller waits for.
    """
    _caller.set(key)


def find_current_caller() -> str | None:
    """Return the limit key of the caller whose request this task runs; None without one."""
    return _caller.get()


class ComputingTime:
    """The seconds of computing that each caller has left in this API process. They refill."""

    def __init__(self) -> None:
        # Seconds left, and at which time.
        self._left: dict[str, tuple[float, float]] = {}

    def find_left(self, key: str | None) -> float:
        """Return the seconds that a caller has left, which are negative after too long requests."""
        if key is None or key not in self._left:
            return BURST_SECONDS
        left, at = self._left[key]
        return min(BURST_SECONDS, left + REFILL * (time.monotonic() - at))

    def is_heavy(self, key: str | None) -> bool:
        """Return whether a caller has computed so long lately that others come first."""
        return self.find_left(key) < BURST_SECONDS - FREE_SECONDS

    def check(self, key: str | None) -> None:
        """Raise LimitExceeded if a caller has no computing time left."""
        left = self.find_left(key)
        if left > 0:
            return
        seconds = ceil((1 - left) / REFILL)
        raise LimitExceeded(
            f"Your requests took too much computing time. Try again in {seconds} s, and then send "
            "fewer large requests.",
            seconds,
        )

    def spend(self, key: str | None, seconds: float) -> None:
        """Subtract what a request of a caller took."""
        if key is None:
            return
        left = max(self.find_left(key) - seconds, -_MOST_DEBT_SECONDS)
        self._left.pop(key, None)
        self._left[key] = (left, time.monotonic())
        if len(self._left) > _MOST_CALLERS:
            del self._left[next(iter(self._left))]

"""A thread that calls a function again and again."""

import logging
import threading
from collections.abc import Callable

from backend.core.db import is_outage
from worker.transactions import describe

_log = logging.getLogger(__name__)


class PeriodicThread:
    """Calls `work` after each period, and after each `wake_up`, until `stop`.

    An error of `work` is logged, and the thread goes on. An outage of the database is logged once.
    """

    def __init__(self, name: str, work: Callable[[], float | None], period_s: float) -> None:
        """Create the thread; `start` starts it.

        Args:
            work: returns the seconds until its next call, or None for the period.
        """
        self._name = name
        self._work = work
        self._period_s = period_s
        self._wanted = threading.Event()
        self._is_over = False
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread. The first call of `work` comes after the first period."""
        self._thread.start()

    def stop(self, timeout_s: float | None = None) -> None:
        """End the thread and wait for it, at most `timeout_s`."""
        self._is_over = True
        self._wanted.set()
        self._thread.join(timeout_s)

    def wake_up(self) -> None:
        """Make the thread call `work` now, or again after its present call."""
        self._wanted.set()

    def _run(self) -> None:
        seconds = self._period_s
        while True:
            self._wanted.wait(seconds)
            self._wanted.clear()
            if self._is_over:
                return
            seconds = self._call() or self._period_s

    def _call(self) -> float | None:
        try:
            seconds = self._work()
        except Exception as error:  # noqa: BLE001  a thread's edge: it must go on
            if not is_outage(error):
                _log.exception("the thread %r", self._name)
                return None
            if self._is_answered:
                _log.warning("%s: the database does not answer: %s", self._name, describe(error))
            self._is_answered = False
            return None
        self._is_answered = True
        return seconds

"""Stops a trial that must not go on: cancelled, overdue, taken over, or the worker must stop."""

import logging
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Self
from uuid import UUID

from backend.core.errors import TachoError

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.5
# Between two calls of `find_stop`, which renews the trial's lease. A signal comes before.
_FIND_SECONDS = 5.0


class Stop(StrEnum):
    """Why a trial must stop before its end."""

    CANCELLED = "cancelled"
    OVERDUE = "overdue"
    SHUTDOWN = "shutdown"
    TAKEN_OVER = "taken_over"
    # The schema of the database was migrated for another version of Tacho.
    UPGRADE = "upgrade"


class Watch:
    """A thread that watches a trial. When it must stop, the `on_stop` callbacks run once.

    The callbacks remove the pod. This ends any wait in the trial's own thread, which then calls
    `check`.
    """

    def __init__(
        self,
        trial_id: UUID,
        is_stopping: Callable[[], bool],
        find_stop: Callable[[], Stop | None] = lambda: None,
    ) -> None:
        """Prepare the thread; it runs from `with` on.

        Args:
            is_stopping: whether this process is being stopped.
            find_stop: called every five seconds, and at once after `wake_up`; returns another
                reason to stop the trial.
        """
        self._trial_id = trial_id
        self._is_stopping = is_stopping
        self._find_stop = find_stop
        self._reason: Stop | None = None
        self._deadline: float | None = None
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._is_over = False
        self._wanted = threading.Event()
        self._find_at = 0.0
        self._thread = threading.Thread(target=self._run, name="trial-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_over = True
        self._wanted.set()
        self._thread.join()

    @property
    def reason(self) -> Stop | None:
        """Return why the trial must stop; None while it may go on."""
        return self._reason

    def is_stopped(self) -> bool:
        """Return whether the trial must stop."""
        return self._reason is not None

    def check(self) -> None:
        """Raise TrialStopped when the trial must stop."""
        if self._reason is not None:
            raise TrialStopped(f"The trial was stopped: {self._reason}.")

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Run `callback` when the trial must stop, or at once if it already must."""
        with self._lock:
            if self._reason is None:
                self._callbacks.append(callback)
                return
        callback()

    def wake_up(self) -> None:
        """Look for a reason to stop the trial now."""
        self._find_at = 0.0
        self._wanted.set()

    def set_deadline(self, seconds: float | None) -> None:
        """Make the trial overdue after this time; None removes the deadline."""
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def _run(self) -> None:
        while True:
            self._wanted.wait(_POLL_SECONDS)
            self._wanted.clear()
            if self._is_over:
                return
            reason = self._find_reason()
            if reason is not None:
                self._stop(reason)
                return

    def _find_reason(self) -> Stop | None:
        if self._is_stopping():
            return Stop.SHUTDOWN
        if self._deadline is not None and time.monotonic() > self._deadline:
            return Stop.OVERDUE
        if time.monotonic() < self._find_at:
            return None
        self._find_at = time.monotonic() + _FIND_SECONDS
        return self._find_stop()

    def _stop(self, reason: Stop) -> None:
        with self._lock:
            self._reason = reason
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            try:
                callback()
            except TachoError as error:
                _log.warning("trial %s: stopping: %s", self._trial_id, error)


class TrialStopped(TachoError):
    """The trial must not go on; `Watch.reason` holds why."""

    code = "stopped"
    title = "Stopped"

"""Keeps a trial's lease and notices when it must stop: cancelled, overdue, taken over, shutdown."""

import logging
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Self

from sqlalchemy.exc import SQLAlchemyError

from backend.core.db import unit_of_work
from backend.core.errors import TachoError
from backend.core.runs import repository
from backend.core.runs.trials import LEASE_SECONDS
from worker.stages.assignment import Assignment
from worker.transactions import describe

_log = logging.getLogger(__name__)
_POLL_SECONDS = 0.5
_RENEW_SECONDS = 5.0


class Stop(StrEnum):
    """Why a trial must stop before its end."""

    CANCELLED = "cancelled"
    OVERDUE = "overdue"
    SHUTDOWN = "shutdown"
    TAKEN_OVER = "taken_over"


class Watch:
    """A thread that watches the trial. When it must stop, the `on_stop` callbacks run once.

    The callbacks remove the pod. This ends any wait in the trial's own thread, which then calls
    `check`.
    """

    def __init__(
        self,
        assignment: Assignment,
        is_stopping: Callable[[], bool],
        keep_host: Callable[[], object] = lambda: None,
    ) -> None:
        """`keep_host` is called with each renewal of the lease: it keeps the host's lock."""
        self._trial_id = assignment.trial_id
        self._attempt = assignment.attempt
        self._is_stopping = is_stopping
        self._keep_host = keep_host
        self._is_answered = True
        self._reason: Stop | None = None
        self._deadline: float | None = None
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._over = threading.Event()
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
        self._over.set()
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

    def set_deadline(self, seconds: float | None) -> None:
        """Make the trial overdue after this time; None removes the deadline."""
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def _run(self) -> None:
        renewed = time.monotonic()
        while not self._over.wait(_POLL_SECONDS):
            # After an outage the lease is renewed at once: it may expire at any moment.
            renew = time.monotonic() - renewed >= _RENEW_SECONDS
            reason = self._find_reason(renew)
            if renew and self._is_answered:
                renewed = time.monotonic()
            if reason is not None:
                self._stop(reason)
                return

    def _find_reason(self, renew: bool) -> Stop | None:
        if self._is_stopping():
            return Stop.SHUTDOWN
        if self._deadline is not None and time.monotonic() > self._deadline:
            return Stop.OVERDUE
        return self._ask_database(renew)

    def _ask_database(self, renew: bool) -> Stop | None:
        try:
            with unit_of_work() as session:
                if renew:
                    repository.renew_lease(session, self._trial_id, self._attempt, LEASE_SECONDS)
                is_held, is_cancelled = repository.read_hold(session, self._trial_id, self._attempt)
            if renew:
                self._keep_host()
        except SQLAlchemyError as error:
            # The database may be back before the lease runs out.
            if self._is_answered:
                _log.warning("trial %s: lease not renewed: %s", self._trial_id, describe(error))
            self._is_answered = False
            return None
        self._is_answered = True
        if not is_held:
            return Stop.TAKEN_OVER
        return Stop.CANCELLED if is_cancelled else None

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

"""How workers and the dispatcher use the database: they repeat what an outage interrupts, and wait
while the schema is that of another version.

A process of an earlier version that runs next to a newer schema claims no trial and runs no
periodic task, until it is replaced by the new version or the schema is restored.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.db import is_disk_full, is_outage, unit_of_work
from backend.core.errors import TachoError
from backend.core.schema import SchemaMismatch, SchemaState, check_schema

_log = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0
_POLL_SECONDS = 10.0
_REMIND_SECONDS = 60.0

T = TypeVar("T")


class WorkerStopping(TachoError):
    """The worker is being stopped while the database does not answer."""

    code = "worker_stopping"
    title = "The worker is being stopped"


def run_transaction(
    work: Callable[[Session], T], is_stopping: Callable[[], bool] = lambda: False
) -> T:
    """Run `work` in one transaction and return its result.

    While the database does not answer, the whole transaction is repeated with growing pauses, so
    `work` must be idempotent: the answer to a commit may be lost after the commit took place.

    Raises:
        WorkerStopping: `is_stopping` turned true during an outage.
    """
    pause_seconds, failed_at = _FIRST_PAUSE_SECONDS, 0.0
    while True:
        try:
            with unit_of_work() as session:
                result = work(session)
        except Exception as error:
            if not is_outage(error):
                raise
            if not failed_at:
                failed_at = time.monotonic()
                why = "has a full disk" if is_disk_full(error) else "does not answer"
                _log.warning("the database %s; trying again: %s", why, describe(error))
        else:
            if failed_at:
                _log.warning("the database answers after %.1f s", time.monotonic() - failed_at)
            return result
        if is_stopping():
            raise WorkerStopping("The worker is being stopped while the database does not answer.")
        threading.Event().wait(pause_seconds)
        pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)


def describe(error: BaseException) -> str:
    """Return an error's first line, for a log."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


class SchemaWatch:
    """Reads the schema, and logs when it no longer fits and when it fits again.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_waiting = False
        self._reminded_at = 0.0

    def check(self, session: Session) -> None:
        """Raise SchemaMismatch, after a log line, if the schema is not that of this version."""
        try:
            check_schema(session)
        except SchemaMismatch as mismatch:
            self._note_mismatch(mismatch)
            raise
        self._note_match()

    def is_current(self) -> bool:
        """Return whether the schema is that of this version.

        Raises SQLAlchemyError when the database does not answer.
        """
        try:
            with unit_of_work() as session:
                self.check(session)
        except SchemaMismatch:
            return False
        return True

    def may_be_current(self) -> bool:
        """Return False only if the schema is known to be of another version."""
        try:
            return self.is_current()
        except SQLAlchemyError as error:
            _log.warning("the schema was not read: %s", describe(error))
            return True

    def wait_at_start(self, beat: Callable[[], None], poll_seconds: float = _POLL_SECONDS) -> None:
        """Return as soon as the schema is that of this version; wait while it is newer.

        Args:
            beat: called before the schema is read again.

        Raises:
            SchemaMismatch: the schema is older than this version, or missing.
            SQLAlchemyError: the database does not answer to the first reading.
        """
        is_first = True
        while True:
            try:
                with unit_of_work() as session:
                    self.check(session)
                return
            except SchemaMismatch as mismatch:
                if mismatch.state is not SchemaState.NEWER:
                    raise
            except SQLAlchemyError as error:
                if is_first:
                    raise
                _log.warning("the schema was not read: %s", describe(error))
            is_first = False
            threading.Event().wait(poll_seconds)
            beat()

    def _note_mismatch(self, mismatch: SchemaMismatch) -> None:
        with self._lock:
            now = time.monotonic()
            if self._is_waiting and now - self._reminded_at < _REMIND_SECONDS:
                return
            self._is_waiting, self._reminded_at = True, now
        _log.warning("This part waits. %s", mismatch.detail)

    def _note_match(self) -> None:
        with self._lock:
            was_waiting, self._is_waiting = self._is_waiting, False
        if was_waiting:
            _log.warning("the database has the schema of this version again; this part goes on")


@lru_cache
def get_schema_watch() -> SchemaWatch:
    """Return the watch over the schema of this process."""
    return SchemaWatch()


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

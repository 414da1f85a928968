"""Compares the schema of the database with that of this process.

A process of an earlier version that runs next to a newer schema waits: it claims no trial and runs
no periodic task, until it is replaced by the new version or the schema is restored.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import lru_cache

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.schema import SchemaMismatch, SchemaState, check_schema
from worker.transactions import describe

_log = logging.getLogger(__name__)
_POLL_SECONDS = 10.0
_REMIND_SECONDS = 60.0


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

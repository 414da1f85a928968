"""The lock that only a single worker of a bench host can hold."""

import logging
import threading
import time
from collections.abc import Callable

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.db import get_engine, ping
from backend.core.errors import Conflict
from backend.core.runs.trials import repository
from worker.transactions import describe

_log = logging.getLogger(__name__)
_POLL_SECONDS = 1.0
_REMIND_SECONDS = 60.0


class HostLock:
    """A PostgreSQL advisory lock. While a worker holds it, no other worker serves the host.

    The lock belongs to a database connection of its own. When a worker is killed, the connection
    ends and the lock is free. `keep` notices a broken connection and takes the lock again. Safe to
    use from several threads.
    """

    def __init__(self, host_name: str) -> None:
        self._host_name = host_name
        self._connection: Connection | None = None
        self._backend_pid = 0
        self._guard = threading.Lock()

    def keep(self) -> bool:
        """Take the lock if it is free; return whether this worker holds it.

        Raises SQLAlchemyError when the database does not answer.
        """
        with self._guard:
            if self._connection is not None:
                try:
                    ping(self._connection)
                except SQLAlchemyError as error:
                    _log.warning("the connection of the host's lock was lost: %s", describe(error))
                    self._connection.invalidate()
                    self._connection.close()
                    self._connection = None
                else:
                    return True
            return self._take()

    def wait(self, is_stopping: Callable[[], bool] = lambda: False) -> bool:
        """Return True once this worker holds the lock, or False if the worker is stopped first.

        While another worker has the lock, this is logged once a minute.
        """
        reminded_at, is_waiting = 0.0, False
        while not is_stopping():
            try:
                if self.keep():
                    if is_waiting:
                        _log.warning("this worker now serves the host %r", self._host_name)
                    return True
                if time.monotonic() - reminded_at > _REMIND_SECONDS or not is_waiting:
                    _log.warning(
                        "Another worker serves the bench host %r. This worker waits until the "
                        "other stops. To use both, give each its own TACHO_BENCH_HOST.",
                        self._host_name,
                    )
                    reminded_at = time.monotonic()
                is_waiting = True
            except SQLAlchemyError as error:
                if time.monotonic() - reminded_at > _REMIND_SECONDS or not reminded_at:
                    _log.warning("the host's lock is not held: %s", describe(error))
                    reminded_at = time.monotonic()
            threading.Event().wait(_POLL_SECONDS)
        return False

    @property
    def backend_pid(self) -> int:
        """Return the id of the server process that holds the lock; 0 if it was never taken."""
        return self._backend_pid

    def release(self) -> None:
        """Release the lock, if it is held."""
        with self._guard:
            if self._connection is not None:
                # `close` alone would return the connection to the pool, which would keep the lock.
                self._connection.invalidate()
                self._connection.close()
                self._connection = None

    def check(self, session: Session) -> None:
        """Raise Conflict if, in this transaction, the worker does not hold the lock."""
        if not repository.is_host_lock_held(session, self._host_name, self._backend_pid):
            raise Conflict(f"This worker does not hold the lock of the host {self._host_name!r}.")

    def _take(self) -> bool:
        connection = get_engine().connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            if not repository.try_host_lock(connection, self._host_name):
                connection.close()
                return False
            self._backend_pid = connection.scalar(select(func.pg_backend_pid())) or 0
        except SQLAlchemyError:
            connection.invalidate()
            connection.close()
            raise
        self._connection = connection
        return True

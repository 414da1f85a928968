"""The lock that makes a worker the only one of its bench host."""

import logging
import threading
import time
from collections.abc import Callable

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.db import get_engine, ping
from backend.core.errors import Conflict
from backend.core.runs import repository
from worker.transactions import describe

_log = logging.getLogger(__name__)
_POLL_SECONDS = 1.0
_REMIND_SECONDS = 60.0


class HostLock:
    """A PostgreSQL advisory lock: while this worker holds it, no other serves the same host.

    It lives on a connection of its own and goes with it, so a killed worker's lock is free. A
    connection that broke is noticed by `keep`, which takes the lock again. Safe to use from
    several threads.
    """

    def __init__(self, host_name: str) -> None:
        self._host_name = host_name
        self._connection: Connection | None = None
        self._backend_pid = 0
        self._guard = threading.Lock()

    def keep(self) -> bool:
        """Return whether this worker holds the lock, after taking it if it is free.

        Raises SQLAlchemyError when the database does not answer.
        """
        with self._guard:
            if self._connection is not None:
                try:
                    ping(self._connection)
                except SQLAlchemyError as error:
                    _log.warning("the connection of the host's lock broke: %s", describe(error))
                    self._connection.invalidate()
                    self._connection.close()
                    self._connection = None
                else:
                    return True
            return self._take()

    def wait(self, is_stopping: Callable[[], bool] = lambda: False) -> bool:
        """Return true once this worker holds the lock, false when it is to stop before that.

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
                        "Another worker serves the bench host %r. This one waits until the other "
                        "stops. To use both, give one another name with TACHO_BENCH_HOST.",
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
        """The server process that holds the lock, 0 before it was ever taken."""
        return self._backend_pid

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        with self._guard:
            if self._connection is not None:
                # Closing alone would return the connection, and the lock with it, to the pool.
                self._connection.invalidate()
                self._connection.close()
                self._connection = None

    def check(self, session: Session) -> None:
        """Raise Conflict unless the lock is held as far as the session's transaction can see."""
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

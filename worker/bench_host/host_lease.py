"""The lease of a bench host, which only a single worker holds."""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.db import ping, unit_of_work
from backend.core.errors import Conflict
from backend.core.runs.trials import repository
from backend.core.schema import SchemaMismatch
from worker.bench_host.holder import HolderFile
from worker.transactions import PeriodicThread, describe, get_schema_watch

_log = logging.getLogger(__name__)
_POLL_SECONDS = 1.0
_REMIND_SECONDS = 60.0
# The lease lasts 30 s.
_RENEW_SECONDS = 5.0
# After an outage of the database, the holder needs this time to renew its lease.
_GRACE_SECONDS = 10.0
_WAITS = (
    "Another worker serves the bench host %r. This worker waits until the other stops. To use "
    "both, give each its own TACHO_BENCH_HOST."
)


class WorkerLease:
    """A row in the database. While a worker holds the lease, no other worker serves the host.

    The lease of a worker that is gone ends after 30 s. A worker that starts again with the same
    data folder takes it at once. A worker that lost the lease cannot claim trials: the transaction
    of a claim calls `check`. Safe to use from several threads.
    """

    def __init__(self, host_name: str, data: Path) -> None:
        """Take nothing yet.

        Args:
            host_name: TACHO_BENCH_HOST.
            data: the data folder, which holds the id of this worker.
        """
        self._host_name = host_name
        self._file = HolderFile(data, host_name)
        self._thread: PeriodicThread | None = None

    @property
    def holder(self) -> UUID:
        """Return the id of this worker; raise Conflict if another worker uses the data folder."""
        holder = self._file.find_holder()
        if holder is None:
            raise Conflict("Another worker uses the same data folder.")
        return holder

    def keep(self) -> bool:
        """Take the lease if it is free, or renew it; return whether this worker holds it.

        Raises SQLAlchemyError when the database does not answer.
        """
        with unit_of_work() as session:
            return self._keep(session)

    def keep_renewing(self) -> None:
        """Renew the lease every five seconds until `release`, in a thread."""
        self._thread = PeriodicThread("host lease", self._renew, _RENEW_SECONDS)
        self._thread.start()

    def wait(self, is_stopping: Callable[[], bool] = lambda: False) -> bool:
        """Return True once this worker holds the lease, or False if the worker is stopped first.

        While another worker has the lease, this is logged once a minute. After an outage of the
        database, the other worker may renew its lease first.
        """
        reminder = _Reminder()
        may_take_at, is_waiting, had_outage = 0.0, False, False
        while not is_stopping():
            try:
                if had_outage:
                    _ping()
                    had_outage, may_take_at = False, time.monotonic() + _GRACE_SECONDS
                if time.monotonic() >= may_take_at and self.keep():
                    if is_waiting:
                        _log.warning("this worker now serves the host %r", self._host_name)
                    return True
                is_waiting = True
                reminder.warn(_WAITS, self._host_name)
            except SQLAlchemyError as error:
                had_outage = is_waiting
                reminder.warn("the host's lease is not held: %s", describe(error))
            threading.Event().wait(_POLL_SECONDS)
        return False

    def release(self) -> None:
        """End the lease, if this worker holds it. Without a database, it ends after 30 s."""
        if self._thread is not None:
            self._thread.stop()
            self._thread = None
        holder = self._file.find_holder()
        try:
            if holder is not None:
                with unit_of_work() as session:
                    repository.release_host_lease(session, self._host_name, holder)
        except SQLAlchemyError as error:
            _log.warning("the host's lease ends by itself: %s", describe(error))
        finally:
            self._file.close()

    def check(self, session: Session) -> None:
        """Raise Conflict if this worker does not hold the lease.

        If it does, nobody else takes the lease before the end of this transaction.
        """
        if not repository.is_host_lease_held(session, self._host_name, self.holder):
            raise Conflict(f"This worker does not hold the lease of the host {self._host_name!r}.")

    def _renew(self) -> None:
        try:
            with unit_of_work() as session:
                get_schema_watch().check(session)
                self._keep(session)
        except SchemaMismatch:
            # The lease ends, so that a worker of the other version can take it.
            return

    def _keep(self, session: Session) -> bool:
        holder = self._file.find_holder()
        return holder is not None and repository.take_host_lease(session, self._host_name, holder)


class _Reminder:
    """Logs a warning when it is new, and again every minute."""

    def __init__(self) -> None:
        self._text = ""
        self._warned_at = 0.0

    def warn(self, text: str, *arguments: object) -> None:
        if text == self._text and time.monotonic() - self._warned_at < _REMIND_SECONDS:
            return
        self._text, self._warned_at = text, time.monotonic()
        _log.warning(text, *arguments)


def _ping() -> None:
    with unit_of_work() as session:
        ping(session.connection())

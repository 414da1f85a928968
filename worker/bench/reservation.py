"""Reserves hosts for a trial, so that no host measures a trial and sends load at the same time."""

from collections.abc import Iterable

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from backend.core.db import get_engine
from backend.core.errors import Conflict
from backend.core.runs.trials import repository


class HostsBusy(Conflict):
    """Another trial uses a host that this trial needs."""

    code = "hosts_busy"
    title = "A host is busy"


class TrialReservation:
    """The hosts that a trial needs: its own and its load hosts, or none before `take`.

    Each is an advisory lock of one database connection. If the worker is killed, the connection
    ends and the hosts are free. If the connection is lost while the trial runs, another trial may
    reserve its load hosts. Their workers still run one task at a time, so that trial waits.
    """

    def __init__(self) -> None:
        self._connection: Connection | None = None

    def take(self, host_names: Iterable[str]) -> None:
        """Reserve all hosts, or raise HostsBusy and reserve none. Releases earlier ones first."""
        self.release()
        connection = get_engine().connect().execution_options(isolation_level="AUTOCOMMIT")
        self._connection = connection
        try:
            taken = (name for name in host_names if not repository.try_busy_lock(connection, name))
            busy = next(taken, None)
        except SQLAlchemyError:
            self.release()
            raise
        if busy is not None:
            self.release()
            raise HostsBusy(f"Another trial uses the host {busy!r}.")

    def release(self) -> None:
        """Release the hosts."""
        if self._connection is not None:
            # `close` alone would return the connection to the pool, which would keep the locks.
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

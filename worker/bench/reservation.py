"""Reserves hosts for a trial, so that no host measures a trial and sends load at the same time."""

import logging
from collections.abc import Collection
from uuid import UUID

from sqlalchemy import event
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.errors import Conflict
from backend.core.runs.trials import repository
from worker.transactions import PeriodicThread, describe

_log = logging.getLogger(__name__)
# A reservation lasts 30 s.
_RENEW_SECONDS = 5.0


class HostsBusy(Conflict):
    """Another trial uses a host that this trial needs."""

    code = "hosts_busy"
    title = "A host is busy"


class TrialReservation:
    """The hosts that a trial needs: its own and its load hosts, or none before `take`.

    A thread renews the reservation until `release`. If the worker is killed, the reservation ends
    after 30 s, or when the worker starts again and takes its next trial. If the database does not
    answer for longer while the trial runs, another trial may reserve its load hosts. Their workers
    still run one task at a time, so that trial waits.
    """

    def __init__(self, holder: UUID) -> None:
        """Reserve nothing yet.

        Args:
            holder: an id that no other process has.
        """
        self._holder = holder
        self._names: Collection[str] = ()
        self._thread: PeriodicThread | None = None
        self._is_lost = False

    def take(self, session: Session, host_names: Collection[str]) -> None:
        """Reserve all hosts when the session commits; raise HostsBusy if one is in use.

        Earlier reservations of the holder end.
        """
        busy = repository.reserve_hosts(session, host_names, self._holder)
        if busy is not None:
            raise HostsBusy(f"Another trial uses the host {busy!r}.")

        def keep(_: Session) -> None:
            self._names, self._is_lost = host_names, False
            self._thread = PeriodicThread("reservation", self._renew, _RENEW_SECONDS)
            self._thread.start()

        event.listen(session, "after_commit", keep, once=True)

    def release(self) -> None:
        """Release the hosts. Without a database, they are free after 30 s."""
        if self._thread is None:
            return
        self._thread.stop()
        self._thread = None
        try:
            with unit_of_work() as session:
                repository.reserve_hosts(session, (), self._holder)
        except SQLAlchemyError as error:
            _log.warning("the reservation of hosts ends by itself: %s", describe(error))

    def _renew(self) -> None:
        try:
            with unit_of_work() as session:
                busy = repository.reserve_hosts(session, self._names, self._holder)
        except ProgrammingError:
            # Its run has just ended, so the database does not permit its load hosts any more.
            return
        if busy is not None and not self._is_lost:
            self._is_lost = True
            _log.warning("another trial has reserved the host %r meanwhile", busy)

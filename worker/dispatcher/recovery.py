"""Queues the trials of lost workers again.

This needs neither Redis nor a free worker, so a trial is queued again within seconds after its
lease has expired.
"""

import time
from collections.abc import Callable

from backend.core.db import unit_of_work
from backend.core.queue import try_wake_up_worker
from backend.core.results.guard import requests as guards
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from worker.monitoring import TRIALS_RECOVERED
from worker.transactions import get_schema_watch

# After an outage of the database, workers need this time to renew their leases.
_GRACE_SECONDS = 10.0
# If the database takes this long to answer, workers could not renew their leases either.
_SLOW_SECONDS = 2.0


class Recovery:
    """Searches for expired leases, with one search for each call of `check`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waits_until = 0.0

    def check(self) -> None:
        """Queue lost trials and guards again and wake their hosts.

        Does nothing for a while after an outage.

        Raises SQLAlchemyError when the database does not answer.
        """
        try:
            began = self._clock()
            if not get_schema_watch().is_current():
                return
            with unit_of_work() as session:
                repository.list_waiting_queues(session)
            if self._clock() - began > _SLOW_SECONDS:
                self._wait_for_workers()
            if self._clock() < self._waits_until:
                return
            with unit_of_work() as session:
                guards.recover_lost(session)
                lost = trials.recover_lost(session)
                waiting = repository.list_waiting_queues(session) if lost else ()
        except Exception:
            self._wait_for_workers()
            raise
        TRIALS_RECOVERED.inc(len(lost))
        for queue in waiting:
            try_wake_up_worker(queue)

    def _wait_for_workers(self) -> None:
        self._waits_until = self._clock() + _GRACE_SECONDS

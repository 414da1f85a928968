"""Queues the trials of lost workers again, in a thread of the dispatcher.

The thread needs neither Redis nor a free worker, so a trial is queued again within seconds after
its lease has expired.
"""

import logging
import threading
import time
from collections.abc import Callable

from backend.core.db import is_outage, unit_of_work
from backend.core.queue import try_wake_up_worker
from backend.core.runs import repository, trials
from worker.instruments import TRIALS_RECOVERED
from worker.schema_watch import get_schema_watch
from worker.transactions import describe

_log = logging.getLogger(__name__)
_PERIOD_SECONDS = 2.0
# After an outage of the database, workers need this time to renew their leases.
_GRACE_SECONDS = 10.0
# If the database takes this long to answer, workers could not renew their leases either.
_SLOW_SECONDS = 2.0


class Recovery:
    """Searches for expired leases every two seconds until `stop`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recovery", daemon=True)
        self._waits_until = 0.0

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._over.set()
        self._thread.join()

    def check(self) -> list[str]:
        """Queue lost trials again and return their ids; do nothing for a while after an outage.

        Raises SQLAlchemyError when the database does not answer.
        """
        try:
            began = self._clock()
            if not get_schema_watch().is_current():
                return []
            with unit_of_work() as session:
                repository.list_waiting_queues(session)
            if self._clock() - began > _SLOW_SECONDS:
                self._wait_for_workers()
            if self._clock() < self._waits_until:
                return []
            with unit_of_work() as session:
                lost = [str(trial.id) for trial in trials.recover_lost(session)]
                waiting = repository.list_waiting_queues(session) if lost else ()
        except Exception:
            self._wait_for_workers()
            raise
        for queue in waiting:
            try_wake_up_worker(queue)
        return lost

    def _wait_for_workers(self) -> None:
        self._waits_until = self._clock() + _GRACE_SECONDS

    def _run(self) -> None:
        is_answered = True
        while not self._over.wait(_PERIOD_SECONDS):
            try:
                lost = self.check()
            except Exception as error:  # noqa: BLE001  a thread's edge: it must go on
                if not is_outage(error):
                    _log.exception("taking trials back")
                elif is_answered:
                    _log.warning("the database does not answer: %s", describe(error))
                is_answered = False
                continue
            is_answered = True
            if lost:
                TRIALS_RECOVERED.inc(len(lost))

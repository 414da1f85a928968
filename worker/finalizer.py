"""Judges runs with a goal, cancels large runs and finalizes ended runs, in a thread of the
dispatcher.

Workers wake the thread up when the trials of a run have ended. Without a message, for example
while Redis does not answer, it looks for such runs every few seconds.
"""

import logging
import threading
from functools import lru_cache

from backend.core.db import is_outage, unit_of_work
from backend.core.finalization.service import finalize_runs
from backend.core.goals.service import continue_runs
from backend.core.runs.service import continue_cancellations
from worker.instruments import FINALIZATIONS_FAILED, RUNS_FINALIZED
from worker.schema_watch import get_schema_watch
from worker.transactions import describe

_log = logging.getLogger(__name__)
_PERIOD_SECONDS = 5.0


class Finalizer:
    """Judges and finalizes runs after each call of `wake_up`, and every five seconds."""

    def __init__(self, period_s: float = _PERIOD_SECONDS) -> None:
        self._period_s = period_s
        self._wanted = threading.Event()
        self._is_over = False
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name="finalizer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._is_over = True
        self._wanted.set()
        self._thread.join()

    def wake_up(self) -> None:
        """Make the thread look for runs now, or again after its present work."""
        self._wanted.set()

    def _run(self) -> None:
        while True:
            self._wanted.wait(self._period_s)
            self._wanted.clear()
            if self._is_over:
                return
            self._work()

    def _work(self) -> None:
        try:
            if get_schema_watch().is_current():
                with unit_of_work() as session:
                    has_cancelled = continue_cancellations(session)
                if has_cancelled:
                    # There may be more, after the runs that have ended meanwhile.
                    self.wake_up()
                continue_runs()
                counts = finalize_runs()
                RUNS_FINALIZED.inc(counts.finalized)
                FINALIZATIONS_FAILED.inc(counts.failed)
            self._is_answered = True
        except Exception as error:  # noqa: BLE001  a thread's edge: it must go on
            if not is_outage(error):
                _log.exception("judging and finalizing runs")
            elif self._is_answered:
                _log.warning("the database does not answer: %s", describe(error))
            self._is_answered = False


@lru_cache
def get_finalizer() -> Finalizer:
    """Return the finalizer of this process."""
    return Finalizer()

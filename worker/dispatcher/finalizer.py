"""Judges runs with a goal, cancels large runs and finalizes ended runs, in a thread of the
dispatcher.

Workers wake the thread up when the trials of a run have ended. Without a message, for example
while Redis does not answer, it looks for such runs every few seconds.
"""

from functools import lru_cache

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.results.goals.service import continue_runs
from backend.core.runs.service import continue_cancellations
from worker.monitoring import FINALIZATIONS_FAILED, RUNS_FINALIZED
from worker.periodic import PeriodicThread
from worker.schema_watch import get_schema_watch

_PERIOD_SECONDS = 5.0


@lru_cache
def get_finalizer() -> PeriodicThread:
    """Return the finalizer of this process."""
    return PeriodicThread("finalizer", judge_and_finalize, _PERIOD_SECONDS)


def judge_and_finalize() -> None:
    """Go on with cancellations, judge the runs with a goal, and finalize the ended runs."""
    if not get_schema_watch().is_current():
        return
    with unit_of_work() as session:
        has_cancelled = continue_cancellations(session)
    if has_cancelled:
        # There may be more, after the runs that have ended meanwhile.
        get_finalizer().wake_up()
    continue_runs()
    counts = finalize_runs()
    RUNS_FINALIZED.inc(counts.finalized)
    FINALIZATIONS_FAILED.inc(counts.failed)

"""Judges runs with a goal, cancels large runs and finalizes ended runs.

Workers wake the thread up when the trials of a run have ended. Without a message, for example
while Redis does not answer, it looks for such runs every few seconds.
"""

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.results.goals.service import continue_runs
from backend.core.runs.service import continue_cancellations
from worker.monitoring import FINALIZATIONS_FAILED, RUNS_FINALIZED

_AT_ONCE_SECONDS = 0.01
# Another dispatcher needs some time for a run.
_LATER_SECONDS = 0.5


def judge_and_finalize() -> float | None:
    """Go on with cancellations, judge the runs with a goal, and finalize the ended runs.

    Returns the seconds until the next call, or None if nothing is left.
    """
    with unit_of_work() as session:
        has_cancelled = continue_cancellations(session)
    continue_runs()
    counts = finalize_runs()
    RUNS_FINALIZED.inc(counts.finalized)
    FINALIZATIONS_FAILED.inc(counts.failed)
    if has_cancelled:
        # There may be more, after the runs that have ended meanwhile.
        return _AT_ONCE_SECONDS
    return _LATER_SECONDS if counts.left else None

"""`host.work`: the bell of a bench host."""

import logging
import time

from backend.core.db import unit_of_work
from backend.core.errors import Conflict
from backend.core.queue import WORK_TASK, try_ring
from backend.core.runs import trials
from worker.app import app, get_bench, get_lock, is_stopping
from worker.bench import Bench, sweep
from worker.conclude import conclude_runs
from worker.pipeline.assignment import read_assignment
from worker.pipeline.run import fail_unforeseen, run_trial

_log = logging.getLogger(__name__)


# From one message to the next up to a second passes, so one message runs several short trials;
# after this long the periodic recovery, which shares this worker, gets its turn.
_TURN_SECONDS = 30.0


@app.task(name=WORK_TASK)
def work(host_name: str) -> None:
    """Take this host's next trials, one after another, and ring again when more wait.

    A bell that rings twice, late, or for nothing does no harm: what is to be done is in the
    database, and a trial is claimed once.
    """
    bench = get_bench()
    try:
        get_lock().acquire()
    except Conflict as conflict:
        _log.error("%s", conflict.detail)
        return
    turn_ends = time.monotonic() + _TURN_SECONDS
    while _run_next(bench):
        if is_stopping():
            return
        if time.monotonic() > turn_ends:
            if try_ring(host_name):
                return
            # Without a broker the recovery cannot come either: go on with the next trial.
            turn_ends = time.monotonic() + _TURN_SECONDS


def _run_next(bench: Bench) -> bool:
    """Whether there was a trial to run."""
    sweep(bench)
    with unit_of_work() as session:
        trial = trials.claim_next(session, bench.host_id)
        assignment = None if trial is None else read_assignment(session, trial.id)
    if assignment is None:
        return False
    try:
        run_trial(bench, assignment, is_stopping)
    # A task's edge: whatever happens, the run must end.
    except Exception as error:  # noqa: BLE001  a task's edge: the run must end
        _log.exception("trial %s", assignment.trial_id)
        fail_unforeseen(assignment, error)
    conclude_runs()
    return True

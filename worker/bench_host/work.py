"""`host.work`: the wake-up message of a bench host."""

import time
from functools import lru_cache

from backend.core.queue import WORK_TASK, try_wake_up_worker
from worker.bench_host.app import (
    app,
    get_bench,
    get_lease,
    get_signals,
    get_source_watch,
)
from worker.bench_host.taker import TrialTaker, is_stopping

# Up to a second passes between two messages, so one message runs several short trials.
_TURN_SECONDS = 30.0


@app.task(name=WORK_TASK)
def work(queue: str) -> None:
    """Run this host's next trials, one after another; notify the host if more trials wait.

    A duplicate, late or unnecessary message does no harm: the queue is in the database, and a trial
    is claimed once.
    """
    taker = _get_taker()
    turn_ends = time.monotonic() + _TURN_SECONDS
    # A worker that lost its host to another worker waits here until it holds the lease again.
    while get_lease().wait(is_stopping) and _run_next_alone(taker):
        if time.monotonic() > turn_ends:
            if try_wake_up_worker(queue):
                return
            # Without a broker no message can arrive: go on with the next trial.
            turn_ends = time.monotonic() + _TURN_SECONDS


@lru_cache
def _get_taker() -> TrialTaker:
    return TrialTaker(get_bench(), get_lease(), is_stopping, get_signals().listen)


def _run_next_alone(taker: TrialTaker) -> bool:
    """Run the next trial while the services folder is not watched."""
    with get_source_watch().rest():
        return taker.run_next()

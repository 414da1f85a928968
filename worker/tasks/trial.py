"""`trial.recover`: judges runs with a goal, finalizes ended runs, and notifies hosts.

`worker.recovery` queues the trials of lost workers again, in a thread of the dispatcher.
"""

from backend.core.db import unit_of_work
from backend.core.finalization.service import finalize_runs
from backend.core.goals.service import continue_runs
from backend.core.queue import RECOVER_TASK, try_wake_up_worker
from backend.core.runs import repository
from worker.dispatcher import app


@app.task(name=RECOVER_TASK)
def recover() -> None:
    """Judge and finalize runs, and notify hosts for which trials wait.

    Runs periodically, in case a message or a worker was lost.
    """
    continue_runs()
    with unit_of_work() as session:
        waiting = repository.list_waiting_hosts(session)
    for host_name in waiting:
        try_wake_up_worker(host_name)
    finalize_runs()

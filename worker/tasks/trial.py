"""`trial.recover`: finalizes ended runs, and notifies hosts for which trials wait.

Trials of lost workers are taken back by `worker.recovery`, in a thread of the dispatcher.
"""

from backend.core.db import unit_of_work
from backend.core.finalization.service import finalize_runs
from backend.core.queue import RECOVER_TASK, try_wake_up_worker
from backend.core.runs import repository
from worker.dispatcher import app


@app.task(name=RECOVER_TASK)
def recover() -> None:
    """Finalize runs and notify hosts; finds nothing to do unless a message was lost. Periodic."""
    with unit_of_work() as session:
        waiting = repository.list_waiting_hosts(session)
    for host_name in waiting:
        try_wake_up_worker(host_name)
    finalize_runs()

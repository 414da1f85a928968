"""`trial.recover` notifies hosts for which trials wait.

`worker.recovery` queues the trials of lost workers again, in a thread of the dispatcher.
"""

from backend.core.db import unit_of_work
from backend.core.queue import RECOVER_TASK, try_wake_up_worker
from backend.core.runs import repository
from worker.dispatcher import app


@app.task(name=RECOVER_TASK)
def recover() -> None:
    """Notify hosts for which trials wait. Runs periodically, in case a message was lost."""
    with unit_of_work() as session:
        waiting = repository.list_waiting_queues(session)
    for queue in waiting:
        try_wake_up_worker(queue)

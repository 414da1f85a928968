"""`trial.recover` notifies hosts for which trials wait, unless the database lacks space for them.

`worker.recovery` queues the trials of lost workers again, in a thread of the dispatcher.
"""

import logging

from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.queue import RECOVER_TASK, try_wake_up_worker
from backend.core.runs import repository
from backend.core.runs.database_disk import find_trial_shortage, report_shortage
from worker.dispatcher import app

_log = logging.getLogger(__name__)


@app.task(name=RECOVER_TASK)
def recover() -> None:
    """Notify hosts for which trials wait. Runs periodically, in case a message was lost."""
    shortage = find_trial_shortage(get_settings())
    if shortage:
        _log.warning("no host starts a trial: %s", shortage)
    with unit_of_work() as session:
        report_shortage(session, shortage)
        waiting = repository.list_waiting_queues(session)
    for queue in waiting:
        try_wake_up_worker(queue)

"""`trial.recover`: takes back what lost workers held, concludes, rings for what waits."""

import logging

from backend.core.db import unit_of_work
from backend.core.queue import RECOVER_TASK, try_ring
from backend.core.runs import repository, trials
from worker.app import app
from worker.conclude import conclude_runs

_log = logging.getLogger(__name__)


@app.task(name=RECOVER_TASK)
def recover() -> None:
    """Periodic; finds nothing to do as long as no message and no worker is lost."""
    with unit_of_work() as session:
        lost = [str(trial.id) for trial in trials.recover_lost(session)]
        waiting = repository.list_waiting_hosts(session)
    if lost:
        _log.warning("leases ran out, taken back: %s", lost)
    conclude_runs()
    for host_name in waiting:
        try_ring(host_name)

"""`load.request`: requests the load of a trial from its load hosts.

A bench host may write to no queue of another host. So the dispatcher does it, and only for a trial
that runs, and to the load hosts that its run names.
"""

from uuid import UUID

from backend.core.db import unit_of_work
from backend.core.queue import LOAD_REQUEST_TASK, request_load
from backend.core.runs.load_hosts import find_requested_load
from worker.dispatcher import app
from worker.remote.messages import LoadPart


@app.task(name=LOAD_REQUEST_TASK)
def request(trial_id: str) -> None:
    """Request each load host's part of the load of a trial; nothing if the trial does not run."""
    with unit_of_work() as session:
        load = find_requested_load(session, UUID(trial_id))
    if load is None:
        return
    for index, queue in enumerate(load.load_hosts):
        part = LoadPart(
            run_id=load.run_id,
            trial_id=load.trial_id,
            attempt=load.attempt,
            service_host=load.service_host,
            segment_index=index,
            segment_count=len(load.load_hosts),
        )
        request_load(queue, part.model_dump(mode="json"))

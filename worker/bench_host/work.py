"""`host.work`: the wake-up message of a bench host."""

import logging
import threading
import time
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.catalog.repository import touch_host
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.errors import Conflict
from backend.core.log_context import RunIds, process_log_fields
from backend.core.queue import WORK_TASK, try_wake_up_finalizer, try_wake_up_worker
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.core.schema import SchemaMismatch
from worker.bench.bench import Bench, sweep
from worker.bench.reservation import HostsBusy, TrialReservation
from worker.bench_host.app import app, get_bench, get_lease, get_source_watch, is_stopping
from worker.pipeline.assignment import read_assignment
from worker.pipeline.run import run_trial
from worker.runtime.errors import RuntimeFailure
from worker.schema_watch import get_schema_watch
from worker.stages.assignment import Assignment
from worker.transactions import WorkerStopping, describe, run_transaction

_log = logging.getLogger(__name__)


# Up to a second passes between two messages, so one message runs several short trials.
_TURN_SECONDS = 30.0
# A container engine that restarts does not answer for some seconds.
_ENGINE_PAUSE_SECONDS = 5.0
# A run of thousands of trials is finalized within seconds.
_DISPATCHER_SECONDS = 30.0
_POLL_SECONDS = 0.05
# Between two attempts to reserve hosts that other trials use.
_BUSY_SECONDS = 1.0


@app.task(name=WORK_TASK)
def work(queue: str) -> None:
    """Run this host's next trials, one after another; notify the host if more trials wait.

    A duplicate, late or unnecessary message does no harm: the queue is in the database, and a trial
    is claimed once.
    """
    bench = get_bench()
    turn_ends = time.monotonic() + _TURN_SECONDS
    # A worker that lost its host to another worker waits here until it holds the lease again.
    while get_lease().wait(is_stopping) and _run_next_alone(bench):
        if time.monotonic() > turn_ends:
            if try_wake_up_worker(queue):
                return
            # Without a broker no message can arrive: go on with the next trial.
            turn_ends = time.monotonic() + _TURN_SECONDS


def _run_next_alone(bench: Bench) -> bool:
    """Run the next trial as _run_next does, while the services folder is not watched."""
    with get_source_watch().rest():
        return _run_next(bench)


def _run_next(bench: Bench) -> bool:
    """Run the next trial; return whether this worker should claim another trial."""
    if _lacks_space(bench):
        return False
    reservation = TrialReservation(get_lease().holder)
    try:
        return _run_with(bench, reservation)
    finally:
        reservation.release()


def _lacks_space(bench: Bench) -> bool:
    """Return whether a disk has too little space for a trial, and report which.

    The next heartbeat that finds enough space wakes this host up.
    """
    shortage = bench.find_disk_shortage()
    if not shortage:
        return False
    _log.warning("no trial is started: %s", shortage)
    with unit_of_work() as session:
        touch_host(session, bench.host_id, shortage)
    return True


def _run_with(bench: Bench, reservation: TrialReservation) -> bool:
    """Run the next trial once its hosts are reserved."""
    try:
        assignment = _claim(bench, reservation)
    except (WorkerStopping, SchemaMismatch):
        return False
    except HostsBusy as busy:
        _log.info("the next trial waits: %s", busy.detail)
        # The worker must be idle meanwhile: another host may need it to send load.
        timer = threading.Timer(_BUSY_SECONDS, try_wake_up_worker, [get_settings().bench_host])
        timer.daemon = True
        timer.start()
        return False
    except Conflict as lost:
        _log.warning("%s", lost.detail)
        return True
    except RuntimeFailure as failure:
        _log.warning("no trial is started: %s", failure.detail)
        time.sleep(_ENGINE_PAUSE_SECONDS)
        return True
    if assignment is None:
        return False
    ids = RunIds(assignment.run_id, assignment.request_id).list_log_fields()
    with process_log_fields(**ids, trial_id=str(assignment.trial_id)):
        run_trial(bench, assignment, is_stopping)
        reservation.release()
        try:
            _hand_over(bench, assignment.run_id)
        except SQLAlchemyError as error:
            _log.warning("the dispatcher was not awaited: %s", describe(error))
    return True


def _hand_over(bench: Bench, run_id: UUID) -> None:
    """Wait until the dispatcher has judged or finalized a run, if it is due.

    The dispatcher may share this machine, and must not compute while the next trial is measured.
    Without a dispatcher, the next trial begins after 30 s. A host that joined with a key is another
    machine. It waits only for the next trials of a run with a goal, which come before those of
    later runs.
    """
    if not _is_due(run_id):
        return
    try_wake_up_finalizer()
    wait_ends = time.monotonic() + _DISPATCHER_SECONDS
    while (
        _is_due(run_id, trials_only=bench.is_joined)
        and time.monotonic() < wait_ends
        and not is_stopping()
    ):
        threading.Event().wait(_POLL_SECONDS)


def _is_due(run_id: UUID, *, trials_only: bool = False) -> bool:
    with unit_of_work() as session:
        return trials.awaits_dispatcher(session, run_id, trials_only=trials_only)


def _claim(bench: Bench, reservation: TrialReservation) -> Assignment | None:
    """Claim the next trial of the host, and reserve its hosts; return None if no trial waits.

    Raises:
        HostsBusy: another trial uses one of its hosts. Nothing is claimed.
        Conflict: another worker has the host's lease.
        RuntimeFailure: the container engine does not answer.
        SchemaMismatch: the schema of the database is not that of this version.
        WorkerStopping
    """

    def recover(session: Session) -> None:
        get_schema_watch().check(session)
        get_lease().check(session)
        trials.recover_lost(session, bench.host_id)

    def claim(session: Session) -> Assignment | None:
        # Recover again, because the answer to the commit of an earlier claim may have been lost.
        recover(session)
        if repository.is_draining(session):
            _log.info("no trial is claimed, because an upgrade or a backup waits for running ones")
            return None
        trial = trials.claim_next(session, bench.host_id)
        if trial is None:
            return None
        assignment = read_assignment(session, trial.id)
        reservation.take(session, [get_settings().bench_host, *assignment.load_hosts])
        return assignment

    run_transaction(recover, is_stopping)
    sweep(bench)
    return run_transaction(claim, is_stopping)

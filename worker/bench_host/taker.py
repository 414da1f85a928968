"""Takes the trials and guards of a bench host: claims the next one and runs it.

It leaves the run of a trial to the dispatcher, which signals when it is done.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import redis
from celery.worker import state
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.catalog.repository import touch_host
from backend.core.db import unit_of_work
from backend.core.errors import Conflict
from backend.core.log_context import RunIds, process_log_fields
from backend.core.queue import (
    open_redis,
    signal_channel,
    try_wake_up_finalizer,
    try_wake_up_worker,
)
from backend.core.results.guard import requests as guards
from backend.core.results.guard.requests_repository import GuardClaim, claim_next
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.core.schema import SchemaMismatch
from worker.bench.bench import Bench, sweep
from worker.bench.reservation import HostsBusy, TrialReservation
from worker.bench_host.guard import run_guard
from worker.bench_host.host_lease import WorkerLease
from worker.pipeline.run import Listen, Measure, measure_and_collect, run_trial, to_assignment
from worker.runtime.errors import RuntimeFailure
from worker.stages.assignment import Assignment
from worker.transactions import WorkerStopping, describe, get_schema_watch, run_transaction

_log = logging.getLogger(__name__)

# A container engine that restarts does not answer for some seconds.
_ENGINE_PAUSE_SECONDS = 5.0
# A run of thousands of trials is finalized within seconds.
_DISPATCHER_SECONDS = 30.0
# A signal of the dispatcher may be lost.
_POLL_SECONDS = 2.0
# Between two attempts to reserve hosts that other trials use.
_BUSY_SECONDS = 1.0
# Of one wait for a signal, and between two attempts to reach Redis.
_SIGNAL_SECONDS = 1.0
_RETRY_SECONDS = 1.0


class TrialTaker:
    """Takes the trials and guards of one bench host, one after another."""

    def __init__(
        self,
        bench: Bench,
        lease: WorkerLease,
        is_stopping: Callable[[], bool],
        listen: Listen,
        measure: Measure = measure_and_collect,
    ) -> None:
        """Take nothing yet.

        Args:
            lease: of the host.
            is_stopping: whether the worker is being stopped; its trial then goes back to the queue.
            listen: returns a context in which a function is called at each signal to the host.
            measure: see `run_trial`.
        """
        self._bench = bench
        self._lease = lease
        self._is_stopping = is_stopping
        self._listen = listen
        self._measure = measure

    def run_next(self) -> bool:
        """Run the next trial; return whether this worker should claim another trial."""
        if self._lacks_space():
            return False
        reservation = TrialReservation(self._lease.holder)
        try:
            return self._run_with(reservation)
        finally:
            reservation.release()

    def claim(self, reservation: TrialReservation) -> Assignment | GuardClaim | None:
        """Claim the next trial or guard, and reserve its hosts; return None if none waits.

        Raises:
            HostsBusy: another trial uses one of its hosts. Nothing is claimed.
            Conflict: another worker has the host's lease.
            RuntimeFailure: the container engine does not answer.
            SchemaMismatch: the schema of the database is not that of this version.
            WorkerStopping
        """

        def recover(session: Session) -> None:
            get_schema_watch().check(session)
            self._lease.check(session)
            trials.recover_lost(session, self._bench.host_id)
            guards.recover_lost(session, self._bench.host_id)

        def claim(session: Session) -> Assignment | GuardClaim | None:
            # The answer to the commit of an earlier claim may have been lost.
            recover(session)
            guard = claim_next(session, self._bench.host_id)
            if guard is not None:
                reservation.take(session, [self._bench.queue])
                return guard
            trial = trials.claim_next(session, self._bench.host_id)
            if trial is None:
                if repository.is_draining(session):
                    _log.info(
                        "no trial is claimed, because an upgrade or a backup waits for running ones"
                    )
                return None
            assignment = to_assignment(trial)
            reservation.take(session, [self._bench.queue, *assignment.load_hosts])
            return assignment

        sweep(self._bench, recover)
        return run_transaction(claim, self._is_stopping)

    def _lacks_space(self) -> bool:
        """Return whether a disk has too little space for a trial, and report which.

        The next heartbeat that finds enough space wakes this host up.
        """
        shortage = self._bench.find_disk_shortage()
        if not shortage:
            return False
        _log.warning("no trial is started: %s", shortage)
        with unit_of_work() as session:
            touch_host(session, self._bench.host_id, shortage)
        return True

    def _run_with(self, reservation: TrialReservation) -> bool:
        """Run the next trial once its hosts are reserved."""
        try:
            claimed = self.claim(reservation)
        except (WorkerStopping, SchemaMismatch):
            return False
        except HostsBusy as busy:
            _log.info("the next trial waits: %s", busy.detail)
            # The worker must be idle meanwhile: another host may need it to send load.
            timer = threading.Timer(_BUSY_SECONDS, try_wake_up_worker, [self._bench.queue])
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
        if claimed is None:
            return False
        if isinstance(claimed, GuardClaim):
            with process_log_fields(guard_id=str(claimed.guard_id)):
                run_guard(claimed, self._is_stopping, self._listen)
        else:
            self._run(claimed, reservation)
        return True

    def _run(self, assignment: Assignment, reservation: TrialReservation) -> None:
        ids = RunIds(assignment.run_id, assignment.request_id).list_log_fields()
        with process_log_fields(**ids, trial_id=str(assignment.trial_id)):
            run_trial(self._bench, assignment, self._is_stopping, self._listen, self._measure)
            reservation.release()
            try:
                self._hand_over(assignment.run_id)
            except SQLAlchemyError as error:
                _log.warning("the dispatcher was not awaited: %s", describe(error))

    def _hand_over(self, run_id: UUID) -> None:
        """Wait until the dispatcher has judged or finalized a run, if it is due.

        The dispatcher may share this machine, and must not compute while the next trial is
        measured. Without a dispatcher, the next trial begins after 30 s. A host that joined with a
        key is another machine. It waits only for the next trials of a run with a goal, which come
        before those of later runs.
        """
        if not _is_due(run_id):
            return
        wait_ends = time.monotonic() + _DISPATCHER_SECONDS
        is_signalled = threading.Event()
        with self._listen(is_signalled.set):
            try_wake_up_finalizer()
            while (
                _is_due(run_id, trials_only=self._bench.is_joined)
                and time.monotonic() < wait_ends
                and not self._is_stopping()
            ):
                is_signalled.wait(_POLL_SECONDS)
                is_signalled.clear()


def _is_due(run_id: UUID, *, trials_only: bool = False) -> bool:
    with unit_of_work() as session:
        return trials.awaits_dispatcher(session, run_id, trials_only=trials_only)


def is_stopping() -> bool:
    """Return whether Celery has been asked to shut this worker down."""
    # A set flag holds the exit code, which may be 0.
    flags: tuple[object, ...] = (state.should_stop, state.should_terminate)
    return any(flag is not None and flag is not False for flag in flags)


class HostSignals:
    """A thread that calls all listeners at each signal. Safe to use from several threads.

    A signal means that a run of the host was cancelled, judged or finalized. The listeners then
    read the database. While Redis does not answer, signals are lost, and what waits for them reads
    the database every few seconds.
    """

    def __init__(self, redis_url: str, queue: str) -> None:
        """Prepare the thread; `start` starts it.

        Args:
            queue: of the bench host.
        """
        self._redis_url = redis_url
        self._channel = signal_channel(queue)
        self._listeners: list[Callable[[], None]] = []
        self._guard = threading.Lock()
        self._is_over = threading.Event()
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name="signals", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._is_over.set()
        self._thread.join()

    @contextmanager
    def listen(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call `listener` at each signal within the context. It must return at once."""
        with self._guard:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._guard:
                self._listeners.remove(listener)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self._receive()
            except redis.RedisError as error:
                if self._is_answered:
                    _log.warning("Redis sends no signals: %s", error)
                self._is_answered = False
                self._is_over.wait(_RETRY_SECONDS)

    def _receive(self) -> None:
        with open_redis(self._redis_url) as client, client.pubsub() as subscription:
            subscription.subscribe(self._channel)
            while not self._is_over.is_set():
                message = subscription.get_message(timeout=_SIGNAL_SECONDS)
                if message is None:
                    continue
                # The first message confirms the subscription. Signals before it may be lost.
                self._is_answered = True
                self._notify()

    def _notify(self) -> None:
        with self._guard:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

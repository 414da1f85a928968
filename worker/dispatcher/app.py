"""The dispatcher: a process without a bench, which does all periodic work, and what hosts request,
in threads.

It sends webhooks, processes schedules, requests load from load hosts, judges and finalizes runs,
queues the trials of lost workers again, merges the catalogues of the bench hosts, creates
partitions, and removes what is older than it is kept. Several dispatchers may run at the same time:
each task claims what it works on in the database.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, cast
from uuid import UUID

import redis
from kombu.exceptions import OperationalError
from sqlalchemy.exc import SQLAlchemyError

from backend.core.config import get_settings
from backend.core.db import is_outage, parse_id, unit_of_work
from backend.core.errors import TachoError
from backend.core.queue import (
    DELIVER_REQUEST,
    FINALIZE_REQUEST,
    LOAD_REQUEST,
    REQUESTS,
    dispatcher_client_name,
    open_redis,
    request_load,
)
from backend.core.runs.load_hosts import find_requested_load
from backend.core.tracing import set_up_tracing
from backend.version import VERSION
from worker import logs
from worker.dispatcher import retention, schedules, tasks
from worker.dispatcher.recovery import Recovery
from worker.monitoring import TASK_SECONDS, serve_dispatcher_metrics
from worker.remote.messages import LoadPart
from worker.transactions import PeriodicThread, describe, get_schema_watch

# It is run as `__main__`.
_log = logging.getLogger("worker.dispatcher.app")
_PART = "dispatcher"
_FINALIZE = "run.finalize"
_DELIVER = "webhook.deliver"
# Tasks with a longer interval also run at the start, so that restarts do not put them off.
_SELDOM_SECONDS = 60
# For work under way when the dispatcher is stopped. Work that does not end is rolled back.
_STOP_SECONDS = 2.0
# Of one wait for a request, between two attempts to reach Redis, and between two log lines about
# invalid requests.
_READ_SECONDS = 1
_RETRY_SECONDS = 1.0
_LOG_SECONDS = 60.0
# No request is longer, and a log line shows no more of another text.
_MOST_CHARACTERS = 80


class PeriodicTask(NamedTuple):
    """A task that the dispatcher runs at an interval, in a thread of its own.

    Attributes:
        name: labels its metrics.
        run: returns the seconds until its next call, or None for the interval.
        needs_schema: whether it is left out while the database has the schema of another version.
    """

    name: str
    run: Callable[[], float | None]
    seconds: float
    needs_schema: bool = True


# All periodic work of the dispatcher.
PERIODIC_TASKS = (
    PeriodicTask("audit.tidy", tasks.tidy_audit, 3600),
    PeriodicTask("catalogue.merge", tasks.merge_catalogue, 5),
    PeriodicTask("charts.store_missing", tasks.store_missing_charts, 600),
    PeriodicTask("guard.end", tasks.end_guards, 2),
    PeriodicTask("host.notify", tasks.notify_hosts, 10),
    PeriodicTask("host.synchronize_credentials", tasks.synchronize_credentials, 10),
    PeriodicTask("partitions.prepare", tasks.prepare_partitions, 600),
    PeriodicTask("retention.remove", retention.remove, 60),
    PeriodicTask(_FINALIZE, tasks.judge_and_finalize, 5),
    PeriodicTask("schedule.tick", schedules.tick, 10),
    # It reads the schema itself, because it must notice each outage of the database.
    PeriodicTask("trial.recover", Recovery().check, 2, needs_schema=False),
    PeriodicTask(_DELIVER, tasks.deliver_webhooks, 5),
    PeriodicTask("webhook.tidy", tasks.tidy_deliveries, 3600),
)


class _InvalidRequests:
    """Logs invalid requests, at most one each minute: a host may send any number of them."""

    def __init__(self) -> None:
        self._next_at = 0.0
        self._unlogged = 0

    def note(self, request: bytes) -> None:
        """Log a request that was dropped, unless another one was logged just before."""
        if time.monotonic() < self._next_at:
            self._unlogged += 1
            return
        shown = request[:_MOST_CHARACTERS]
        _log.warning("dropped an invalid request: %r (and %d before it)", shown, self._unlogged)
        self._next_at, self._unlogged = time.monotonic() + _LOG_SECONDS, 0


_invalid = _InvalidRequests()


class RequestReader:
    """Handles the requests to the dispatcher one after the other, until `stop`.

    They are texts in one list in Redis. A bench host may append to this list, and to no queue of
    another host: a message of Celery can start any task, also on other hosts through its callbacks.
    The thread accepts the requests of `backend.core.queue` and drops all other texts. Each request
    goes to one dispatcher.
    """

    def __init__(self, finalize: Callable[[], None], deliver: Callable[[], None]) -> None:
        """Prepare the thread.

        Args:
            finalize: lets the finalizer look for runs.
            deliver: lets the messages of webhooks be sent.
        """
        self._finalize = finalize
        self._deliver = deliver
        self._is_over = threading.Event()
        self._is_answered = True
        self._thread = threading.Thread(target=self._run, name="requests", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and wait for it."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                settings = get_settings()
                name = dispatcher_client_name(settings.bench_host)
                with open_redis(settings.redis_url, name) as client:
                    self._read(client)
            except redis.RedisError as error:
                if self._is_answered:
                    _log.warning("Redis does not answer: %s", error)
                self._is_answered = False
                time.sleep(_RETRY_SECONDS)

    def _read(self, client: redis.Redis) -> None:
        while not self._is_over.is_set():
            found = cast("tuple[bytes, bytes] | None", client.brpop([REQUESTS], _READ_SECONDS))
            self._is_answered = True
            if found is not None:
                self._try_handle(found[1])

    def _try_handle(self, request: bytes) -> None:
        # A request that is lost is not repeated: periodic tasks look for runs and messages, and a
        # trial without its load is repeated.
        try:
            if get_schema_watch().is_current():
                self.handle(request)
        except OperationalError as error:
            _log.warning("a request is lost, because Redis does not answer: %s", error)
        except Exception as error:  # noqa: BLE001  a thread's edge: it must go on
            if is_outage(error):
                _log.warning("a request is lost: %s", describe(error))
            else:
                _log.exception("handling a request")

    def handle(self, request: bytes) -> None:
        """Handle a request; drop an invalid one.

        Raises:
            SQLAlchemyError: the database does not answer.
            OperationalError: the broker does not answer.
        """
        kind, _, subject = request[:_MOST_CHARACTERS].decode(errors="replace").partition(" ")
        trial_id = parse_id(subject)
        if kind == FINALIZE_REQUEST:
            self._finalize()
        elif kind == DELIVER_REQUEST:
            self._deliver()
        elif kind == LOAD_REQUEST and trial_id is not None:
            request_load_of(trial_id)
        else:
            _invalid.note(request)


def request_load_of(trial_id: UUID) -> None:
    """Request each load host's part of the load of a trial; nothing if the trial does not run.

    Only the load hosts that the trial's run names get a request.
    """
    with unit_of_work() as session:
        load = find_requested_load(session, trial_id)
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


class Dispatcher:
    """A thread for each periodic task, and a thread that handles requests over Redis."""

    def __init__(self, periodic_tasks: Sequence[PeriodicTask] = PERIODIC_TASKS) -> None:
        """Prepare the threads."""
        self._seldom = [task.name for task in periodic_tasks if task.seconds >= _SELDOM_SECONDS]
        self._threads = {
            task.name: PeriodicThread(task.name, partial(run_task, task), task.seconds)
            for task in periodic_tasks
        }
        self._reader = RequestReader(
            finalize=partial(self._wake_up, _FINALIZE), deliver=partial(self._wake_up, _DELIVER)
        )

    def start(self) -> None:
        """Start all threads."""
        for thread in self._threads.values():
            thread.start()
        for name in self._seldom:
            self._wake_up(name)
        self._reader.start()

    def stop(self) -> None:
        """End all threads, and wait some seconds for what they do."""
        ends_at = time.monotonic() + _STOP_SECONDS
        self._reader.stop()
        for thread in self._threads.values():
            thread.stop(max(0.0, ends_at - time.monotonic()))

    def _wake_up(self, name: str) -> None:
        self._threads[name].wake_up()


def run_task(task: PeriodicTask) -> float | None:
    """Run a task and measure it; return the seconds until its next call, or None."""
    if task.needs_schema and not get_schema_watch().is_current():
        return None
    begin = time.perf_counter()
    try:
        seconds = task.run()
    except Exception:
        TASK_SECONDS.labels(task.name, "failure").observe(time.perf_counter() - begin)
        raise
    TASK_SECONDS.labels(task.name, "success").observe(time.perf_counter() - begin)
    return seconds


def main() -> None:
    """Run the dispatcher until SIGTERM or SIGINT."""
    logs.set_up(_PART)
    is_stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_stopping.set())
    _wait_for_schema()
    serve_dispatcher_metrics(get_settings())
    set_up_tracing(_PART, VERSION)
    dispatcher = Dispatcher()
    dispatcher.start()
    _log.info("the dispatcher works")
    is_stopping.wait()
    dispatcher.stop()


def _wait_for_schema() -> None:
    """Wait while the schema is newer than this version; exit if it is older."""
    try:
        get_schema_watch().wait_at_start(lambda: None)
    except TachoError as error:
        raise SystemExit(f"This dispatcher does not start. {error.detail}") from error
    except SQLAlchemyError as error:
        raise SystemExit(
            f"This dispatcher does not start. The database does not answer: {describe(error)}"
        ) from error


if __name__ == "__main__":
    main()

"""The dispatcher: a process without a bench, which does all periodic work in threads.

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
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.tracing import set_up_tracing
from backend.version import VERSION
from worker import logs
from worker.dispatcher import retention, schedules, tasks
from worker.dispatcher.recovery import Recovery
from worker.dispatcher.requests import RequestReader
from worker.monitoring import TASK_SECONDS, serve_dispatcher_metrics
from worker.periodic import PeriodicThread
from worker.schema_watch import get_schema_watch
from worker.transactions import describe

# It is run as `__main__`.
_log = logging.getLogger("worker.dispatcher.app")
_PART = "dispatcher"
_FINALIZE = "run.finalize"
_DELIVER = "webhook.deliver"
# Tasks with a longer interval also run at the start, so that restarts do not put them off.
_SELDOM_SECONDS = 60
# For work under way when the dispatcher is stopped. Work that does not end is rolled back.
_STOP_SECONDS = 2.0


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

"""The dispatcher: a Celery consumer without a bench. It starts all periodic tasks.

It handles the tasks that must not wait for a trial or a bench host: it sends webhooks, processes
schedules, requests load from load hosts, judges and finalizes runs, queues the trials of lost
workers again, merges the catalogues of the bench hosts, creates partitions, and removes what is
older than it is kept.
"""

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from celery import Celery, Task
from celery.signals import task_postrun, task_prerun, worker_init, worker_ready
from sqlalchemy.exc import SQLAlchemyError

from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.queue import DELIVER_TASK, DISPATCH_QUEUE, get_celery, make_queue
from backend.core.tracing import set_up_tracing
from backend.version import VERSION
from worker import logs
from worker.dispatcher import retention, schedules, tasks
from worker.dispatcher.finalizer import get_finalizer
from worker.dispatcher.recovery import make_recovery
from worker.dispatcher.requests import RequestReader
from worker.monitoring import TASK_SECONDS, serve_dispatcher_metrics
from worker.schema_watch import get_schema_watch
from worker.transactions import describe

_PART = "dispatcher"


class PeriodicTask(NamedTuple):
    """A task that the dispatcher runs at an interval. `name` labels its metrics."""

    name: str
    run: Callable[[], None]
    seconds: float


# All periodic tasks. The threads of `_start_threads` do what must not wait for a task or for Redis.
PERIODIC_TASKS = (
    PeriodicTask("audit.tidy", tasks.tidy_audit, 3600),
    PeriodicTask("catalogue.merge", tasks.merge_catalogue, 5),
    PeriodicTask("charts.store_missing", tasks.store_missing_charts, 600),
    PeriodicTask("host.synchronize_credentials", tasks.synchronize_credentials, 10),
    PeriodicTask("partitions.prepare", tasks.prepare_partitions, 600),
    PeriodicTask("retention.remove", retention.remove, 60),
    PeriodicTask("schedule.tick", schedules.tick, 10),
    PeriodicTask("trial.recover", tasks.notify_hosts, 10),
    PeriodicTask(DELIVER_TASK, tasks.deliver_webhooks, 5),
    PeriodicTask("webhook.tidy", tasks.tidy_deliveries, 3600),
)


class DispatcherTask(Task[..., None]):
    """A task that does nothing while the database has the schema of another version."""

    def __call__(self, *args: object, **kwargs: object) -> None:
        """Run the task, unless this dispatcher has to wait."""
        if get_schema_watch().is_current():
            super().__call__(*args, **kwargs)


def make_app() -> Celery:
    """Return the dispatcher's Celery application with its queue and its periodic tasks."""
    app = get_celery()
    app.task_cls = f"{__name__}:{DispatcherTask.__name__}"
    app.conf.update(
        task_queues=[make_queue(DISPATCH_QUEUE)],
        beat_scheduler="worker.dispatcher.scheduler:SteadyScheduler",
        beat_schedule={
            task.name: {
                "task": task.name,
                "schedule": task.seconds,
                # If the next message comes before this message was read, this message is not
                # needed.
                "options": {"queue": DISPATCH_QUEUE, "expires": task.seconds},
            }
            for task in PERIODIC_TASKS
        },
    )
    for task in PERIODIC_TASKS:
        app.task(name=task.name)(task.run)
    return app


app = make_app()
logs.install(_PART)


@worker_init.connect
def _wait_for_schema(**_: object) -> None:
    """Wait while the schema is newer than this version; exit if it is older."""
    logs.set_up("dispatcher")  # Celery sends its own signal for logging later
    try:
        get_schema_watch().wait_at_start(lambda: None)
    except TachoError as error:
        raise SystemExit(f"This dispatcher does not start. {error.detail}") from error
    except SQLAlchemyError as error:
        raise SystemExit(
            f"This dispatcher does not start. The database does not answer: {describe(error)}"
        ) from error


@worker_ready.connect
def _start_threads(**_: object) -> None:
    serve_dispatcher_metrics(get_settings())
    set_up_tracing(_PART, VERSION)
    make_recovery().start()
    get_finalizer().start()
    RequestReader().start()


class NamedTask(Protocol):
    """A task of Celery."""

    name: str


# Start time of each running task, by its id.
_begun: dict[str, float] = {}


@task_prerun.connect
def _note_begin(task_id: str, **_: object) -> None:
    _begun[task_id] = time.perf_counter()


@task_postrun.connect
def _note_end(task_id: str, task: NamedTask, state: str | None, **_: object) -> None:
    begun = _begun.pop(task_id, None)
    if begun is not None:
        result = (state or "failure").lower()
        TASK_SECONDS.labels(task.name, result).observe(time.perf_counter() - begun)

"""The dispatcher: a Celery consumer without a bench. It starts all periodic tasks.

It handles the tasks that must not wait for a trial or a bench host: it sends webhooks, processes
schedules, requests load from load hosts, judges and finalizes runs, queues the trials of lost
workers again, merges the catalogues of the bench hosts, creates partitions, and removes what is
older than it is kept.
"""

import time
from typing import Protocol

from celery import Celery, Task
from celery.signals import task_postrun, task_prerun, worker_init, worker_ready
from sqlalchemy.exc import SQLAlchemyError

from backend.core.config import get_settings
from backend.core.errors import TachoError
from backend.core.queue import (
    CHARTS_TASK,
    CREDENTIALS_TASK,
    DELIVER_TASK,
    DISPATCH_QUEUE,
    MERGE_TASK,
    PARTITIONS_TASK,
    RECOVER_TASK,
    RETENTION_TASK,
    TICK_TASK,
    TIDY_AUDIT_TASK,
    TIDY_TASK,
    get_celery,
    make_queue,
)
from backend.core.tracing import set_up_tracing
from backend.version import VERSION
from worker import logs
from worker.finalizer import get_finalizer
from worker.instruments import TASK_SECONDS, serve_dispatcher_metrics
from worker.recovery import Recovery
from worker.requests import RequestReader
from worker.schema_watch import get_schema_watch
from worker.transactions import describe

_RECOVER_SECONDS = 10
_DELIVER_SECONDS = 5
_TICK_SECONDS = 10
_TIDY_SECONDS = 3600
_CHARTS_SECONDS = 600
_PARTITIONS_SECONDS = 600
_RETENTION_SECONDS = 60
_MERGE_SECONDS = 5
_CREDENTIALS_SECONDS = 10
_PART = "dispatcher"


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
        imports=(
            "worker.tasks.audit",
            "worker.tasks.catalogue",
            "worker.tasks.charts",
            "worker.tasks.credentials",
            "worker.tasks.partitions",
            "worker.tasks.retention",
            "worker.tasks.schedule",
            "worker.tasks.trial",
            "worker.tasks.webhook",
        ),
        beat_scheduler="worker.steady_scheduler:SteadyScheduler",
        beat_schedule={
            task: {
                "task": task,
                "schedule": seconds,
                # If the next message comes before this message was read, this message is not
                # needed.
                "options": {"queue": queue, "expires": seconds},
            }
            for task, seconds, queue in (
                (RECOVER_TASK, _RECOVER_SECONDS, DISPATCH_QUEUE),
                (DELIVER_TASK, _DELIVER_SECONDS, DISPATCH_QUEUE),
                (TICK_TASK, _TICK_SECONDS, DISPATCH_QUEUE),
                (TIDY_TASK, _TIDY_SECONDS, DISPATCH_QUEUE),
                (TIDY_AUDIT_TASK, _TIDY_SECONDS, DISPATCH_QUEUE),
                (MERGE_TASK, _MERGE_SECONDS, DISPATCH_QUEUE),
                (CHARTS_TASK, _CHARTS_SECONDS, DISPATCH_QUEUE),
                (CREDENTIALS_TASK, _CREDENTIALS_SECONDS, DISPATCH_QUEUE),
                (PARTITIONS_TASK, _PARTITIONS_SECONDS, DISPATCH_QUEUE),
                (RETENTION_TASK, _RETENTION_SECONDS, DISPATCH_QUEUE),
            )
        },
    )
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
    Recovery().start()
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

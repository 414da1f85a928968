"""The Celery consumer of a bench host: its configuration, its bench and its heartbeat."""

import atexit
import logging
from functools import lru_cache, partial

from celery import Celery
from celery.signals import worker_init
from sqlalchemy.exc import SQLAlchemyError

from backend.core.catalog.repository import touch_queue
from backend.core.config import get_settings
from backend.core.cpus import explain_sharing
from backend.core.db import unit_of_work
from backend.core.errors import TachoError
from backend.core.queue import (
    consumed_queues,
    get_celery,
    try_wake_up_worker,
    unacknowledged_keys,
    worker_client_name,
)
from backend.core.results.guard import requests as guards
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.repository import reserve_hosts
from backend.core.tracing import set_up_tracing
from backend.version import VERSION
from worker import logs
from worker.bench.bench import Bench, announce_bench, open_bench, sweep
from worker.bench_host.heartbeat import HEARTBEAT_SECONDS, Heartbeat
from worker.bench_host.host_lease import WorkerLease
from worker.bench_host.source_watch import SourceWatch
from worker.bench_host.taker import HostSignals
from worker.broker_transport import use_host_transport
from worker.cleanup.cleaning import make_cleaner
from worker.loadgen.build import find_k6
from worker.monitoring import serve_worker_metrics
from worker.runtime.choice import describe_choice
from worker.transactions import PeriodicThread, describe, get_schema_watch

_log = logging.getLogger(__name__)
_PART = "worker"


def make_app() -> Celery:
    """Return the Celery application that consumes the queue of this host."""
    use_host_transport()
    app, queue = get_celery(), get_settings().bench_host
    app.conf.update(
        task_queues=consumed_queues(queue),
        imports=("worker.bench_host.work", "worker.bench_host.load"),
        # A user of a bench host may not send commands to other workers, nor answer them.
        worker_enable_remote_control=False,
        broker_transport_options={
            **app.conf.broker_transport_options,
            **unacknowledged_keys(queue),
            "client_name": worker_client_name(queue),
        },
    )
    return app


app = make_app()
logs.install(_PART)


@lru_cache
def get_bench() -> Bench:
    """Return the bench host of this worker. It is examined only at the first call."""
    return open_bench(get_settings())


@lru_cache
def get_lease() -> WorkerLease:
    """Return the lease that only a single worker of this host holds."""
    return WorkerLease(get_settings().bench_host, get_settings().data)


@lru_cache
def get_signals() -> HostSignals:
    """Return the signals to this host."""
    return HostSignals(get_settings().redis_url, get_settings().bench_host)


@lru_cache
def get_source_watch() -> SourceWatch:
    """Return the watch over the services folder of this worker."""
    return SourceWatch(get_bench())


@worker_init.connect
def _open_or_exit(**_: object) -> None:
    """Open the bench, or exit: Celery itself would log the error and serve without a bench."""
    logs.set_up(_PART)  # Celery sends its own signal for logging later
    try:
        _open()
    except TachoError as error:
        raise SystemExit(f"This worker does not start. {error.detail}") from error
    except Exception as error:  # the process's edge
        _log.exception("opening the bench")
        raise SystemExit(f"This worker does not start: {error!r}") from error


def _open() -> None:
    """Check the schema, take the host's lease, clean up after a lost worker and register the host.

    Raises:
        SchemaMismatch: the schema of the database is older than this version.
    """
    # Taking the lease calls a function of the database, which an older schema does not have.
    get_schema_watch().wait_at_start(_beat_without_bench)
    get_lease().wait()
    # Celery has no signal for each way in which a worker stops.
    atexit.register(get_lease().release)
    get_lease().keep_renewing()
    bench = _open_bench()
    with unit_of_work() as session:
        trials.recover_lost(session, bench.host_id)
        guards.recover_lost(session, bench.host_id)
        # A trial that this worker ran before it was killed may have reserved hosts.
        reserve_hosts(session, (), get_lease().holder)
    swept = sweep(bench)
    _log.info("bench host %s, runtime %s, CPUs %s", bench.name, bench.runtime.kind, bench.cpus)
    choice = describe_choice(bench.runtime.kind, bench.bases.flavour if bench.bases else None)
    _log.info("%s: %s", choice, bench.runtime_reason)
    for note in explain_sharing(bench.cpus.by_name()):
        _log.warning("%s", note)
    if swept:
        _log.warning("leftovers of the trials of a lost worker removed: %s", ", ".join(swept))
    serve_worker_metrics(get_settings(), bench.folders)
    set_up_tracing(_PART, VERSION)
    cleaner = make_cleaner(bench)
    cleaner.start()
    beat = partial(_beat, Heartbeat(bench, cleaner.wake_up), get_source_watch())
    heart = PeriodicThread("heartbeat", beat, HEARTBEAT_SECONDS)
    heart.start()
    get_signals().start()
    heart.wake_up()
    # Trials that wait already need not wait for the next recovery as well.
    try_wake_up_worker(get_settings().bench_host)


def _open_bench() -> Bench:
    """Return the bench. While its load generator is being built, the host is online, and its runs
    are queued."""
    if find_k6(get_settings().data) is not None:
        return get_bench()
    announce_bench(get_settings())
    _log.info("this worker waits until the load generator is built")
    heart = PeriodicThread("heartbeat", _beat_without_bench, HEARTBEAT_SECONDS)
    heart.start()
    try:
        return get_bench()
    finally:
        heart.stop()


def _beat_without_bench() -> None:
    """Record a heartbeat while the worker waits, so that the host is shown as outdated, or online
    if only its load generator is missing."""
    try:
        with unit_of_work() as session:
            touch_queue(session, get_settings().bench_host)
    except SQLAlchemyError as error:
        _log.warning("heartbeat missed: %s", describe(error))


def _beat(heartbeat: Heartbeat, watch: SourceWatch) -> None:
    if not heartbeat.beat():
        return
    try:
        if get_schema_watch().is_current():
            watch.check()
    except SQLAlchemyError as error:
        _log.warning("the services folder was not read: %s", describe(error))

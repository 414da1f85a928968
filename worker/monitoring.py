"""Metrics for Prometheus of workers and of the dispatcher."""

from collections.abc import Mapping
from pathlib import Path

from prometheus_client import Counter, Gauge, Histogram
from sqlalchemy import QueuePool

from backend.core.config import Settings
from backend.core.db import get_engine
from backend.core.operations.monitoring.disks import WatchedDisk
from backend.core.units import HostFolder
from backend.platform.logs.monitoring import REGISTRY, DiskCollector, serve_metrics

_STAGE_BUCKETS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0)
_TASK_BUCKETS = (0.01, 0.05, 0.25, 1.0, 5.0, 30.0)

TRIALS = Counter(
    "tacho_trials",
    "Attempts at trials that ended on this bench host, by result. `repeated`: the trial is queued "
    "again after a failure. `returned`: it is queued again because the worker stops.",
    ("result", "cause"),
    registry=REGISTRY,
)
STAGE_SECONDS = Histogram(
    "tacho_trial_stage_seconds",
    "Duration of each stage of succeeded trials on this bench host.",
    ("stage",),
    buckets=_STAGE_BUCKETS,
    registry=REGISTRY,
)
TRIALS_RUNNING = Gauge(
    "tacho_worker_trials_running", "Trials that this worker runs now: 0 or 1.", registry=REGISTRY
)
HEARTBEATS_MISSED = Counter(
    "tacho_heartbeats_missed",
    "Heartbeats of this worker that the database did not accept.",
    registry=REGISTRY,
)
EVENTS_WAITING = Gauge(
    "tacho_live_events_waiting", "Live events that wait to be sent to Redis.", registry=REGISTRY
)
EVENTS_DROPPED = Counter(
    "tacho_live_events_dropped",
    "Live events that were dropped because Redis did not answer.",
    registry=REGISTRY,
)
STORED_BYTES = Gauge(
    "tacho_stored_bytes",
    "Size of what this bench host stores and can make again, after its last cleanup.",
    ("kind",),
    registry=REGISTRY,
)
CLEANUP_REMOVED = Counter(
    "tacho_cleanup_removed",
    "Builds, caches, base images and load generators that this bench host removed.",
    ("kind",),
    registry=REGISTRY,
)
CLEANUP_FREED_BYTES = Counter(
    "tacho_cleanup_freed_bytes",
    "Size of what this bench host removed.",
    ("kind",),
    registry=REGISTRY,
)
TASK_SECONDS = Histogram(
    "tacho_task_seconds",
    "Duration of the dispatcher's tasks, by result.",
    ("task", "result"),
    buckets=_TASK_BUCKETS,
    registry=REGISTRY,
)
RUNS_FINALIZED = Counter(
    "tacho_runs_finalized", "Runs that this dispatcher finalized.", registry=REGISTRY
)
FINALIZATIONS_FAILED = Counter(
    "tacho_finalizations_failed",
    "Failed attempts of this dispatcher to finalize a run.",
    registry=REGISTRY,
)
TRIALS_RECOVERED = Counter(
    "tacho_trials_recovered",
    "Trials that this dispatcher queued again because their worker was lost.",
    registry=REGISTRY,
)

RETENTION_REMOVALS = Counter(
    "tacho_retention_removals",
    "Removals of the seconds or of the logs of a run by retention.",
    registry=REGISTRY,
)
RETENTION_MONTHS_DROPPED = Counter(
    "tacho_retention_months_dropped",
    "Months of seconds that this dispatcher dropped as a whole.",
    registry=REGISTRY,
)
DATABASE_CONNECTIONS = Gauge(
    "tacho_database_connections",
    "Connections to the database that this process may use at the same time.",
    registry=REGISTRY,
)
DATABASE_CONNECTIONS_IN_USE = Gauge(
    "tacho_database_connections_in_use",
    "Connections to the database that this process uses now.",
    registry=REGISTRY,
)


def _get_pool() -> QueuePool:
    pool = get_engine().pool
    assert isinstance(pool, QueuePool)
    return pool


DATABASE_CONNECTIONS.set_function(lambda: _get_pool().size())
DATABASE_CONNECTIONS_IN_USE.set_function(lambda: _get_pool().checkedout())


def serve_worker_metrics(settings: Settings, folders: Mapping[HostFolder, Path]) -> None:
    """Serve the metrics of a worker for Prometheus, if the settings name an endpoint.

    Args:
        settings: of the worker.
        folders: on the disks that trials fill, by what they hold.
    """
    if settings.worker_metrics:
        disks = [
            WatchedDisk(name, folder, settings.host_free_mb) for name, folder in folders.items()
        ]
        REGISTRY.register(DiskCollector(disks))
    serve_metrics(settings.worker_metrics, "TACHO_WORKER_METRICS")


def serve_dispatcher_metrics(settings: Settings) -> None:
    """Serve the metrics of the dispatcher for Prometheus, if the settings name an endpoint."""
    serve_metrics(settings.dispatcher_metrics, "TACHO_DISPATCHER_METRICS")

"""GET /metrics: the state of this API process and of the installation, for Prometheus."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from backend.api.deps import ResourcesDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.health import Readings, find_reading, get_readings
from backend.api.process.resources import AppResources
from backend.core.config import get_settings
from backend.core.operations.backups import BackupState
from backend.core.operations.monitoring.disks import list_api_disks
from backend.core.operations.monitoring.readings import HostReading, InstallationReading
from backend.core.people.access.permissions import Permission
from backend.platform.layout import Layout
from backend.platform.logs.monitoring import DiskCollector, render_metrics
from backend.platform.processes.part_states import PartState, read_part_states


class InstallationCollector(Collector):
    """The state that database and Redis share with all parts.

    Args:
        reading: None while the database does not answer.
    """

    def __init__(self, reading: InstallationReading | None, *, is_broker_up: bool) -> None:
        self._reading = reading
        self._is_broker_up = is_broker_up

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        yield _gauge_by(
            "component",
            "tacho_component_up",
            "Whether the API reaches the component.",
            {"database": self._reading is not None, "redis": self._is_broker_up},
        )
        if self._reading is not None:
            yield from _list_of_hosts(self._reading.hosts)
            yield from _list_of_installation(self._reading)
            yield from _list_of_backup(self._reading.backup)


class ApiCollector(Collector):
    """Turns and event streams of this API process."""

    def __init__(self, resources: AppResources) -> None:
        self._streams = resources.relay.count_clients()
        self._gates = {
            "database": resources.database.slots,
            "reading": resources.reading,
            "analysing": resources.analysing,
            "exporting": resources.exporting,
            "sending": resources.sending,
            "signing_in": resources.signing_in,
        }

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        gates = self._gates.items()
        yield _gauge_by(
            "kind",
            "tacho_api_slots",
            "Requests that may do this kind of work at the same time.",
            {name: gate.size for name, gate in gates},
        )
        yield _gauge_by(
            "kind",
            "tacho_api_slots_in_use",
            "Requests that do this kind of work now.",
            {name: gate.in_use for name, gate in gates},
        )
        yield _gauge_by(
            "kind",
            "tacho_api_slots_waiting",
            "Requests that wait for a slot.",
            {name: gate.waiting for name, gate in gates},
        )
        refused = CounterMetricFamily(
            "tacho_api_slots_refused",
            "Requests that got no slot in time, and so the response 503.",
            labels=["kind"],
        )
        for name, gate in gates:
            refused.add_metric([name], gate.refused)
        yield refused
        yield GaugeMetricFamily(
            "tacho_event_streams", "Open event streams of clients.", value=self._streams
        )


class PartCollector(Collector):
    """The parts that `tacho up` supervises; no metrics if another program restarts the parts."""

    def __init__(self, states: Sequence[PartState]) -> None:
        self._states = states

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        if not self._states:
            return
        yield _gauge_by(
            "part",
            "tacho_part_up",
            "0 after an unexpected end, until the part has run for a minute.",
            {state.name: state.is_well for state in self._states},
        )
        restarts = CounterMetricFamily(
            "tacho_part_restarts", "Restarts of the part since `tacho up`.", labels=["part"]
        )
        for state in self._states:
            restarts.add_metric([state.name], state.restarts)
        yield restarts


def _list_of_hosts(hosts: Iterable[HostReading]) -> Iterator[Metric]:
    by_name = {host.name: host for host in hosts}
    for name, meaning, values in (
        (
            "tacho_host_online",
            "Whether the worker of the bench host sent a heartbeat in the last 30 s.",
            {name: float(host.is_online) for name, host in by_name.items()},
        ),
        (
            "tacho_host_busy",
            "Whether a trial of the bench host runs.",
            {name: float(host.is_busy) for name, host in by_name.items()},
        ),
        (
            "tacho_host_paused",
            "Whether an operator has paused the bench host, or lets it leave.",
            {name: float(host.is_paused) for name, host in by_name.items()},
        ),
        (
            "tacho_host_low_disk",
            "Whether the bench host takes no trials, because a disk has too little free space.",
            {name: float(host.lacks_disk) for name, host in by_name.items()},
        ),
        (
            "tacho_host_outdated",
            "Whether the bench host takes no trials, because its worker needs another schema.",
            {name: float(host.is_outdated) for name, host in by_name.items()},
        ),
        (
            "tacho_host_unseen_seconds",
            "Time since the last heartbeat of the worker of the bench host.",
            {name: host.unseen_seconds for name, host in by_name.items()},
        ),
        (
            "tacho_queue_trials",
            "Trials that wait for the bench host.",
            {name: float(host.queued_trials) for name, host in by_name.items()},
        ),
        (
            "tacho_queue_oldest_run_seconds",
            "Time since the request of the oldest run of which no trial has started, or 0.",
            {name: host.oldest_run_seconds for name, host in by_name.items()},
        ),
    ):
        yield _gauge_by("host", name, meaning, values)
    yield from _list_of_host_disks(by_name)


def _list_of_host_disks(hosts: Mapping[str, HostReading]) -> Iterator[Metric]:
    labels = ["host", "folder"]
    size = GaugeMetricFamily(
        "tacho_host_disk_size_bytes", "Size of a disk of the bench host.", labels=labels
    )
    free = GaugeMetricFamily(
        "tacho_host_disk_free_bytes",
        "Free space on a disk of the bench host, at its last heartbeat.",
        labels=labels,
    )
    for name, host in hosts.items():
        for disk in host.disks:
            size.add_metric([name, disk.name], disk.size_bytes)
            free.add_metric([name, disk.name], disk.free_bytes)
    yield from (size, free)


def _list_of_installation(reading: InstallationReading) -> Iterator[Metric]:
    for name, meaning, value in (
        (
            "tacho_runs_unfinalized",
            "Ended runs that the dispatcher has not finalized.",
            reading.unfinalized.count,
        ),
        (
            "tacho_runs_unfinalized_oldest_seconds",
            "Time since the end of the oldest run that is not finalized, or 0.",
            reading.unfinalized.oldest_seconds,
        ),
        (
            "tacho_runs_finalization_failed",
            "Ended runs whose finalization failed and is tried again.",
            reading.failed_finalizations,
        ),
        (
            "tacho_webhook_deliveries_due",
            "Messages to webhooks that are due.",
            reading.due_deliveries.count,
        ),
        (
            "tacho_webhook_deliveries_oldest_seconds",
            "Time for which the oldest of these messages is due, or 0.",
            reading.due_deliveries.oldest_seconds,
        ),
        (
            "tacho_scheduled_runs_missed",
            "Scheduled runs of the last 24 hours that counted as missed.",
            reading.missed_scheduled_runs,
        ),
        (
            "tacho_retention_runs_waiting",
            "Runs with removed seconds or logs whose rows are not deleted yet.",
            reading.removals.count,
        ),
        (
            "tacho_retention_oldest_seconds",
            "Time since the removal of the oldest of these runs, or 0.",
            reading.removals.oldest_seconds,
        ),
        ("tacho_database_bytes", "Size of the database.", reading.database_bytes),
    ):
        yield GaugeMetricFamily(name, meaning, value=value)
    yield _gauge_by(
        "revision",
        "tacho_schema_info",
        "Revision of the database schema.",
        {reading.schema_revision: 1},
    )


def _list_of_backup(backup: BackupState | None) -> Iterator[Metric]:
    """Yield the metrics of scheduled backups; none if none was ever attempted."""
    if backup is None:
        return
    if backup.succeeded_at is not None:
        yield GaugeMetricFamily(
            "tacho_backup_timestamp_seconds",
            "When the last successful scheduled backup ended, since 1970.",
            value=backup.succeeded_at.timestamp(),
        )
    for name, meaning, value in (
        (
            "tacho_backup_size_bytes",
            "Size of the last successful scheduled backup.",
            backup.size_bytes,
        ),
        (
            "tacho_backup_duration_seconds",
            "Time that the last successful scheduled backup took, with its wait for trials.",
            backup.duration_seconds,
        ),
    ):
        if value is not None:
            yield GaugeMetricFamily(name, meaning, value=value)
    yield GaugeMetricFamily(
        "tacho_backup_failed",
        "Whether the last attempt to make a scheduled backup failed.",
        value=backup.failed_at is not None,
    )
    yield GaugeMetricFamily(
        "tacho_backup_overdue",
        "Whether the next scheduled backup should have ended by now.",
        value=backup.is_overdue,
    )


def _gauge_by(
    label: str, name: str, meaning: str, values: Mapping[str, float]
) -> GaugeMetricFamily:
    """Return a gauge with one value for each value of the label."""
    family = GaugeMetricFamily(name, meaning, labels=[label])
    for found, value in values.items():
        family.add_metric([found], value)
    return family


router = NounRouter(prefix="/metrics", tags=["health"], dependencies=[needs(Permission.MONITOR)])

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Metrics in the text format of Prometheus, or in that of OpenMetrics.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@router.get("", response_class=Response, responses=problems(401, 403, 429, 503) | _ANSWERS)
async def scrape_metrics(
    request: Request,
    resources: ResourcesDep,
    readings: Annotated[Readings, Depends(get_readings)],
) -> Response:
    """Return metrics of this API process and of the installation for Prometheus.

    They contain names of bench hosts, but no names of runs, workspaces or people. While the
    database does not answer, those of the installation are missing, and `tacho_component_up` is 0.
    """
    observing, pinging = find_reading(readings.installation), find_reading(readings.broker)
    reading, pong = await asyncio.gather(observing, pinging)
    settings = get_settings()
    layout = Layout(settings.data)
    collectors = [
        InstallationCollector(reading, is_broker_up=pong is not None),
        ApiCollector(resources),
        PartCollector(read_part_states(layout.part_states)),
        DiskCollector(list_api_disks(settings)),
    ]
    content, media_type = await run_in_threadpool(
        render_metrics, request.headers.get("accept", ""), collectors
    )
    return Response(content, media_type=media_type)

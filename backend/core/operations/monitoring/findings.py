"""Problems of an installation, with advice for its operator. Pure.

Limits and advice are those of the alert rules in docs/operator-guide/monitoring/tacho-rules.yml,
which a test compares.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from backend.core.operations.backups import BackupState
from backend.core.operations.monitoring.readings import (
    DiskReading,
    FailureReading,
    HostReading,
    InstallationReading,
)
from backend.core.statuses import Severity
from backend.core.units import FailureCause

_MINUTE = 60.0
_DAY = 24 * 60 * _MINUTE
_STALLED_SECONDS = 15 * _MINUTE
_FINALIZATION_SECONDS = 10 * _MINUTE
_DELIVERY_SECONDS = 15 * _MINUTE
_LEAST_FREE_SHARE = 0.1
_FAILURES = 3
_FAILURES_WITHIN = timedelta(hours=1)
_NOT_THE_SERVICE = frozenset({FailureCause.INFRASTRUCTURE, FailureCause.LOAD_GENERATOR})


@dataclass(frozen=True)
class Finding:
    """Something that needs an operator.

    Attributes:
        alert: name of the alert rule with the same meaning.
        host: the bench host that it concerns; None if it concerns no single host.
    """

    alert: str
    severity: Severity
    summary: str
    action: str
    host: str | None = None


def list_findings(
    reading: InstallationReading | None,
    disks: Sequence[DiskReading],
    stopped_parts: Sequence[str],
    *,
    is_broker_up: bool,
) -> list[Finding]:
    """Return what is wrong, the most severe first.

    Args:
        reading: None while the database does not answer.
        disks: of the machine of the API.
        stopped_parts: names of parts that stop again and again.
        is_broker_up: whether Redis answers.
    """
    found = [
        *_list_of_components(is_database_up=reading is not None, is_broker_up=is_broker_up),
        *_list_of_parts(stopped_parts),
        *_list_of_disks(disks),
    ]
    if reading is not None:
        for host in reading.hosts:
            found += _list_of_host(host)
        found += _list_of_dispatcher(reading)
        found += _list_of_backup(reading.backup)
    return sorted(found, key=lambda finding: list(Severity).index(finding.severity))


def list_failure_findings(failures: Sequence[FailureReading], now: datetime) -> list[Finding]:
    """Return the hosts on which several trials failed in the last hour for reasons of the host."""
    recent = [
        failure.host
        for failure in failures
        if failure.cause in _NOT_THE_SERVICE
        and failure.at is not None
        and now - failure.at < _FAILURES_WITHIN
    ]
    return [
        Finding(
            "TachoTrialsFailByInfrastructure",
            Severity.WARNING,
            f"Trials fail on {host} for reasons outside of the services",
            "Read the failures of these trials. Check disk, memory and container engine.",
            host,
        )
        for host in sorted(set(recent))
        if recent.count(host) >= _FAILURES
    ]


def _list_of_components(*, is_database_up: bool, is_broker_up: bool) -> Iterator[Finding]:
    for name, is_up in (("database", is_database_up), ("redis", is_broker_up)):
        if not is_up:
            yield Finding(
                "TachoComponentDown",
                Severity.CRITICAL,
                f"The API does not reach {name}",
                "Start PostgreSQL or Redis, and check the network between it and the API.",
            )


def _list_of_parts(stopped_parts: Sequence[str]) -> Iterator[Finding]:
    for part in stopped_parts:
        yield Finding(
            "TachoPartDown",
            Severity.CRITICAL,
            f"The part {part} stops again and again",
            "Read the last lines of its log on the overview, or in TACHO_DATA/logs.",
        )


def _list_of_disks(disks: Sequence[DiskReading]) -> Iterator[Finding]:
    for disk in disks:
        if disk.free_bytes < disk.needed_bytes:
            yield Finding(
                "TachoDiskShort",
                Severity.CRITICAL,
                f"The API starts nothing new: the disk of the {disk.name} is nearly full",
                "Free some space there. Retention makes a database smaller.",
            )
        elif disk.free_bytes < _LEAST_FREE_SHARE * disk.size_bytes:
            yield Finding(
                "TachoDiskLow",
                Severity.WARNING,
                f"The disk of the {disk.name} is 90 % full",
                "Free some space, or move TACHO_DATA to a larger disk.",
            )


def _list_of_host(host: HostReading) -> Iterator[Finding]:
    if not host.is_online and not host.is_paused:
        yield Finding(
            "TachoHostOffline",
            Severity.WARNING,
            f"The worker of the bench host {host.name} is offline",
            "Start the worker, or pause or revoke the host on the page Installation → Hosts.",
            host.name,
        )
    if host.is_online and host.is_outdated and not host.is_paused:
        yield Finding(
            "TachoHostOutdated",
            Severity.WARNING,
            f"{host.name} takes no trials, because its version of Tacho needs another schema",
            "Install the version of the API on this host, and restart its worker.",
            host.name,
        )
    if host.lacks_disk:
        yield Finding(
            "TachoHostLowDisk",
            Severity.WARNING,
            f"The bench host {host.name} takes no trials, because a disk is nearly full",
            "The page of the host shows which disk. Free some space there.",
            host.name,
        )
    takes_none = host.is_paused or host.lacks_disk or host.is_outdated
    is_free = host.is_online and not (host.is_busy or takes_none)
    if is_free and host.queued_trials and host.oldest_run_seconds > _STALLED_SECONDS:
        yield Finding(
            "TachoQueueStalled",
            Severity.WARNING,
            f"{host.name} is online, but starts none of {host.queued_trials} trials",
            "Read the log of the worker. Another trial may use its load hosts.",
            host.name,
        )
    if host.oldest_run_seconds > _DAY:
        yield Finding(
            "TachoQueueLong",
            Severity.INFO,
            f"A run has waited for {host.name} for more than a day",
            "Cancel runs that nobody needs, or add a bench host.",
            host.name,
        )


def _list_of_dispatcher(reading: InstallationReading) -> Iterator[Finding]:
    if reading.unfinalized.oldest_seconds > _FINALIZATION_SECONDS:
        yield Finding(
            "TachoRunsNotFinalized",
            Severity.WARNING,
            "An ended run has not been finalized for more than ten minutes",
            "Check that the dispatcher runs, and read its log.",
        )
    if reading.failed_finalizations:
        yield Finding(
            "TachoFinalizationFails",
            Severity.WARNING,
            f"Ended runs that cannot be finalized: {reading.failed_finalizations}",
            "The pages of the runs show the reason, and the log of the dispatcher has details.",
        )
    if reading.due_deliveries.oldest_seconds > _DELIVERY_SECONDS:
        yield Finding(
            "TachoWebhooksLate",
            Severity.WARNING,
            "Messages to webhooks are late",
            "Check that the dispatcher runs and reaches the receivers.",
        )
    if reading.missed_scheduled_runs:
        yield Finding(
            "TachoScheduledRunsMissed",
            Severity.WARNING,
            f"Scheduled runs missed in the last day: {reading.missed_scheduled_runs}",
            "The pages of the schedules show the reason of each.",
        )
    if reading.removals.oldest_seconds > _DAY:
        yield Finding(
            "TachoRetentionLate",
            Severity.WARNING,
            "Removed seconds or logs still take disk space after a day",
            "Check that the dispatcher runs, and read its log.",
        )


def _list_of_backup(backup: BackupState | None) -> Iterator[Finding]:
    if backup is None:
        return
    if backup.failed_at is not None:
        yield Finding(
            "TachoBackupFailed",
            Severity.WARNING,
            "The last scheduled backup failed",
            "Installation → State shows the reason. Check TACHO_BACKUP_FOLDER and its disk.",
        )
    if backup.is_overdue:
        yield Finding(
            "TachoBackupOverdue",
            Severity.WARNING,
            "The next scheduled backup is overdue",
            "Check that the part backups runs, and read its log.",
        )

"""Problems of an installation have the same advice as the alert rules."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import yaml  # type: ignore[import-untyped]

from backend.core.config import ROOT
from backend.core.operations.backups import BackupState
from backend.core.operations.monitoring.findings import (
    Finding,
    list_failure_findings,
    list_findings,
)
from backend.core.operations.monitoring.readings import (
    Backlog,
    DiskReading,
    FailureReading,
    HostReading,
    InstallationReading,
)
from backend.core.statuses import Severity
from backend.core.units import FailureCause

RULES = ROOT / "docs" / "operator-guide" / "monitoring" / "tacho-rules.yml"
NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
GIB = 1024**3
IDLE = HostReading(
    name="bench-01",
    is_online=True,
    is_busy=False,
    is_paused=False,
    lacks_disk=False,
    is_outdated=False,
    queued_trials=0,
    oldest_run_seconds=0,
    unseen_seconds=2,
    worker_version="0.1.0",
    disks=[],
)
BACKED_UP = BackupState(NOW, None, None, NOW + timedelta(days=1), is_overdue=False)
WELL = InstallationReading(
    hosts=[IDLE],
    unfinalized=Backlog(0, 0),
    failed_finalizations=0,
    due_deliveries=Backlog(0, 0),
    missed_scheduled_runs=0,
    removals=Backlog(0, 0),
    backup=None,
    database_bytes=10**9,
    schema_revision="f20c6b8e4d17",
)
ROOMY = DiskReading("database", 100 * GIB, 50 * GIB, 2 * GIB)
FAILED = FailureReading("bench-01", NOW, "engine_failed", FailureCause.INFRASTRUCTURE, "building")

# A state for each finding.
BROKEN = (
    list_findings(None, [], [], is_broker_up=True),
    list_findings(WELL, [], ["worker"], is_broker_up=False),
    list_findings(WELL, [replace(ROOMY, free_bytes=GIB)], [], is_broker_up=True),
    list_findings(WELL, [replace(ROOMY, free_bytes=9 * GIB)], [], is_broker_up=True),
    *(
        list_findings(replace(WELL, hosts=[host]), [], [], is_broker_up=True)
        for host in (
            replace(IDLE, is_online=False),
            replace(IDLE, is_outdated=True),
            replace(IDLE, lacks_disk=True),
            replace(IDLE, queued_trials=7, oldest_run_seconds=1000),
            replace(IDLE, is_busy=True, queued_trials=7, oldest_run_seconds=100_000),
        )
    ),
    *(
        list_findings(state, [], [], is_broker_up=True)
        for state in (
            replace(WELL, unfinalized=Backlog(1, 700)),
            replace(WELL, failed_finalizations=2),
            replace(WELL, due_deliveries=Backlog(3, 1000)),
            replace(WELL, missed_scheduled_runs=1),
            replace(WELL, removals=Backlog(1, 90_000)),
            replace(WELL, backup=replace(BACKED_UP, failed_at=NOW, error="The disk is full.")),
            replace(WELL, backup=replace(BACKED_UP, is_overdue=True)),
        )
    ),
    list_failure_findings([FAILED] * 3, NOW + timedelta(minutes=59)),
)
FOUND = [finding for findings in BROKEN for finding in findings]


def read_rules() -> dict[str, dict[str, str]]:
    """Return severity, summary and action of each alert rule by its name."""
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return {
        rule["alert"]: {**rule["annotations"], "severity": rule["labels"]["severity"]}
        for rule in group["rules"]
    }


PAUSED = replace(IDLE, is_online=False, is_paused=True, queued_trials=5)


@pytest.mark.parametrize(
    ("state", "disk"),
    [
        (WELL, ROOMY),
        (replace(WELL, backup=BACKED_UP), ROOMY),
        (replace(WELL, hosts=[PAUSED]), ROOMY),
        # A disk without a limit may be fuller.
        (WELL, replace(ROOMY, free_bytes=11 * GIB, needed_bytes=0)),
    ],
    ids=["idle", "backed up", "a paused host that is offline", "a disk without a limit"],
)
def test_nothing_is_wrong(state: InstallationReading, disk: DiskReading) -> None:
    assert list_findings(state, [disk], [], is_broker_up=True) == []
    assert list_failure_findings([], NOW) == []


def test_each_state_has_its_finding() -> None:
    assert [[finding.alert for finding in findings] for findings in BROKEN] == [
        ["TachoComponentDown"],
        ["TachoComponentDown", "TachoPartDown"],
        ["TachoDiskShort"],
        ["TachoDiskLow"],
        ["TachoHostOffline"],
        ["TachoHostOutdated"],
        ["TachoHostLowDisk"],
        ["TachoQueueStalled"],
        ["TachoQueueLong"],
        ["TachoRunsNotFinalized"],
        ["TachoFinalizationFails"],
        ["TachoWebhooksLate"],
        ["TachoScheduledRunsMissed"],
        ["TachoRetentionLate"],
        ["TachoBackupFailed"],
        ["TachoBackupOverdue"],
        ["TachoTrialsFailByInfrastructure"],
    ]


@pytest.mark.parametrize("finding", FOUND, ids=lambda finding: finding.alert)
def test_the_page_and_the_alert_give_the_same_advice(finding: Finding) -> None:
    rule = read_rules()[finding.alert]

    assert (finding.action, finding.severity) == (rule["action"], rule["severity"])
    # The alert has placeholders for names and numbers.
    pieces = re.split(r"\{\{.*?\}\}", rule["summary"].replace(" at {{ $labels.instance }}", ""))
    assert re.fullmatch(".+".join(map(re.escape, pieces)), finding.summary)


def test_the_most_severe_finding_is_the_first() -> None:
    busy = replace(IDLE, is_busy=True, oldest_run_seconds=100_000)
    offline = replace(IDLE, name="bench-02", is_online=False)
    state = replace(WELL, hosts=[busy, offline])
    found = list_findings(state, [replace(ROOMY, free_bytes=GIB)], [], is_broker_up=True)

    assert [(finding.severity, finding.host) for finding in found] == [
        (Severity.CRITICAL, None),
        (Severity.WARNING, "bench-02"),
        (Severity.INFO, "bench-01"),
    ]


def test_an_outdated_host_gives_the_reason_why_its_trials_wait() -> None:
    waiting = replace(IDLE, is_outdated=True, queued_trials=5, oldest_run_seconds=1000)
    offline, paused = replace(waiting, is_online=False), replace(waiting, is_paused=True)

    found = list_findings(
        replace(WELL, hosts=[waiting, offline, paused]), [], [], is_broker_up=True
    )

    assert [finding.alert for finding in found] == ["TachoHostOutdated", "TachoHostOffline"]


def test_failures_of_services_and_old_failures_need_nobody() -> None:
    of_service = replace(FAILED, cause=FailureCause.SERVICE)
    old = replace(FAILED, at=NOW - timedelta(hours=2))
    elsewhere = replace(FAILED, host="bench-02")

    assert list_failure_findings([of_service, old, FAILED, FAILED, elsewhere] * 1, NOW) == []

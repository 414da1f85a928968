"""GET /installation: the state of the installation, and what an operator should do."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends
from fastapi.concurrency import run_in_threadpool
from pydantic import AliasPath, Field

from backend.api.deps import SettingsDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.health import (
    PartHealth,
    PartStatus,
    Readings,
    find_reading,
    get_readings,
    list_parts,
)
from backend.core.bodies import Schema
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.operations.monitoring.disks import list_api_disks
from backend.core.operations.monitoring.failure_advice import advise_on_failure
from backend.core.operations.monitoring.findings import list_failure_findings, list_findings
from backend.core.operations.monitoring.readings import (
    DiskReading,
    OperatorReading,
)
from backend.core.people.access.permissions import Permission
from backend.core.statuses import Severity
from backend.core.units import FailureCause
from backend.version import VERSION


class FindingOut(Schema):
    """Something that needs an operator."""

    alert: str = Field(
        description="Name of the alert rule for Prometheus with the same meaning.",
        examples=["TachoHostOffline"],
    )
    severity: Severity
    summary: str = Field(examples=["The worker of the bench host bench-01 is offline"])
    action: str = Field(
        description="The advice: a step that solves the problem.",
        examples=[
            "Start the worker, or pause or revoke the host on the page Installation → Hosts."
        ],
    )
    host: str | None = Field(description="The bench host that it concerns. Null if none.")


class PartVersions(Schema):
    """Versions of the parts. Null for a part that does not answer."""

    tacho: str
    statistics: int
    schema_revision: str | None = Field(examples=["f20c6b8e4d17"])
    postgresql: str | None = Field(examples=["16.4"])
    redis: str | None = Field(examples=["7.4.1"])


class DiskOut(Schema):
    """A disk of the machine of the API or of a bench host."""

    name: str = Field(description="The data that the disk holds.", examples=["database"])
    size_bytes: int
    free_bytes: int
    needed_bytes: int = Field(
        description="Free space below which Tacho starts nothing new. 0: no limit."
    )


class HostStateOut(Schema):
    """The work of a bench host."""

    name: str = Field(examples=["bench-01"])
    is_online: bool = Field(description="Whether its worker sent a heartbeat in the last 30 s.")
    is_busy: bool
    is_paused: bool = Field(description="Whether an operator paused it, or lets it leave.")
    lacks_disk: bool = Field(
        description="Whether it takes no trials, because a disk has too little free space."
    )
    is_outdated: bool = Field(
        description="Whether it takes no trials, because its worker needs another schema than that "
        "of the database. Install the version of the API on it."
    )
    queued_trials: int = Field(description="Trials that wait.")
    oldest_run_seconds: float = Field(
        description="Time since the request of the oldest run without a started trial, or 0."
    )
    unseen_seconds: float = Field(description="Time since the last heartbeat.")
    worker_version: str | None = Field(
        description="Version of Tacho of its worker. Null if an older version registered the host.",
        examples=["0.1.0"],
    )
    disks: list[DiskOut] = Field(
        description="The disks that its trials fill, from its last heartbeat. Empty if an older "
        "version of Tacho sends it."
    )


class BacklogOut(Schema):
    """Work of the dispatcher that waits."""

    unfinalized_runs: int = Field(
        validation_alias=AliasPath("unfinalized", "count"),
        description="Ended runs that are not finalized.",
    )
    due_messages: int = Field(
        validation_alias=AliasPath("due_deliveries", "count"),
        description="Messages to webhooks that are due.",
    )
    missed_scheduled_runs: int = Field(
        description="Scheduled runs of the last day that were not queued."
    )
    removals: int = Field(
        validation_alias=AliasPath("removals", "count"),
        description="Runs with removed seconds or logs whose rows are not deleted yet.",
    )


class FaultOut(Schema):
    """A failed trial."""

    host: str = Field(examples=["bench-01"])
    at: datetime | None
    code: str = Field(examples=["verification_failed"])
    cause: FailureCause = Field(description="The party at fault.")
    stage: str = Field(examples=["verifying"])
    action: str = Field(
        description="The recommended action of an operator.",
        examples=["Check that the machine of the worker runs and reaches the database."],
    )


class InstallationOut(Schema):
    """The state of the installation, and what to do."""

    findings: list[FindingOut] = Field(description="Problems, the most severe first.")
    versions: PartVersions
    database: PartStatus
    broker: PartStatus
    parts: list[PartHealth] = Field(
        description="The parts that `tacho up` supervises. Empty if another program, such as "
        "Docker, restarts them."
    )
    hosts: list[HostStateOut]
    backlog: BacklogOut | None = Field(description="Null while the database does not answer.")
    disks: list[DiskOut] = Field(description="The disks of the machine of the API.")
    database_bytes: int | None = Field(
        description="Size of the database. Null while it does not answer."
    )
    faults: list[FaultOut] = Field(
        description="The newest failed trials of all workspaces, without what they measured."
    )


def describe_installation(
    reading: OperatorReading | None,
    disks: Sequence[DiskReading],
    parts: Sequence[PartHealth],
    *,
    is_broker_up: bool,
    redis_version: str | None,
) -> InstallationOut:
    """Return the state of the installation.

    Args:
        reading: None while the database does not answer.
        disks: of this machine.
        parts: that `tacho up` supervises.
        is_broker_up: whether Redis answers.
        redis_version: None if it is not known.
    """
    state = None if reading is None else reading.installation
    failures = [] if reading is None else reading.failures
    stopped = [part.name for part in parts if part.status is PartStatus.DOWN]
    findings = list_findings(state, disks, stopped, is_broker_up=is_broker_up)
    findings += list_failure_findings(failures, datetime.now(UTC))
    return InstallationOut(
        findings=[FindingOut.of(finding) for finding in findings],
        versions=PartVersions(
            tacho=VERSION,
            statistics=STATISTICS_VERSION,
            schema_revision=None if state is None else state.schema_revision,
            postgresql=None if reading is None else reading.server_version,
            redis=redis_version,
        ),
        database=PartStatus.DOWN if reading is None else PartStatus.OK,
        broker=PartStatus.OK if is_broker_up else PartStatus.DOWN,
        parts=list(parts),
        hosts=[] if state is None else [HostStateOut.of(host) for host in state.hosts],
        backlog=None if state is None else BacklogOut.of(state),
        disks=[DiskOut.of(disk) for disk in disks],
        database_bytes=None if state is None else state.database_bytes,
        faults=[
            FaultOut.of(failure, action=advise_on_failure(failure.cause, failure.code))
            for failure in failures
        ],
    )


router = NounRouter(
    prefix="/installation", tags=["health"], dependencies=[needs(Permission.OPERATE)]
)


@router.get("", responses=problems(401, 403, 429, 503))
async def get_installation(
    settings: SettingsDep, readings: Annotated[Readings, Depends(get_readings)]
) -> InstallationOut:
    """Return versions, queues, hosts, disks and recent faults, and what to do about each.

    While the database does not answer, queues, hosts and faults are missing.
    """
    observing, pinging = find_reading(readings.operator), find_reading(readings.broker)
    asking = find_reading(readings.broker_version)
    reading, pong, redis_version = await asyncio.gather(observing, pinging, asking)
    disks = await run_in_threadpool(lambda: [disk.read() for disk in list_api_disks(settings)])
    return describe_installation(
        reading,
        disks,
        list_parts(with_log=True),
        is_broker_up=pong is not None,
        redis_version=redis_version,
    )

"""The state of the installation as a schema."""

from collections.abc import Sequence
from datetime import UTC, datetime

from backend.api.operations.health.schemas import PartHealth, PartStatus
from backend.api.operations.installation.schemas import (
    BacklogOut,
    DiskOut,
    FaultOut,
    FindingOut,
    HostStateOut,
    InstallationOut,
    PartVersions,
)
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.operations.monitoring.failure_advice import advise_on_failure
from backend.core.operations.monitoring.findings import list_failure_findings, list_findings
from backend.core.operations.monitoring.readings import (
    DiskReading,
    OperatorReading,
)
from backend.version import VERSION


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

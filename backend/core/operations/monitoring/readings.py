"""The facts about an installation that monitoring shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from backend.core.operations.backups import BackupState
from backend.core.units import FailureCause


@dataclass(frozen=True)
class DiskReading:
    """A disk, by what it holds.

    Attributes:
        needed_bytes: free space with less of which Tacho starts nothing new; 0 for no limit.
    """

    name: str
    size_bytes: int
    free_bytes: int
    needed_bytes: int


@dataclass(frozen=True)
class HostReading:
    """The state of a bench host.

    Attributes:
        is_online: whether its worker sent a heartbeat in the last 30 seconds.
        is_paused: whether an operator paused it, or lets it leave.
        lacks_disk: whether it takes no trials, because a disk has too little free space.
        is_outdated: whether it takes no trials, because its worker needs another schema than that
            of the database.
        queued_trials: trials that wait, of started runs too.
        oldest_run_seconds: since the request of the oldest run without a started trial; 0 without
            such a run.
        unseen_seconds: since the last heartbeat of its worker.
        worker_version: version of Tacho of its worker; None if an older Tacho registered it.
        disks: that its trials fill, from its last heartbeat; empty if an older Tacho sends it.
    """

    name: str
    is_online: bool
    is_busy: bool
    is_paused: bool
    lacks_disk: bool
    is_outdated: bool
    queued_trials: int
    oldest_run_seconds: float
    unseen_seconds: float
    worker_version: str | None
    disks: Sequence[DiskReading]


@dataclass(frozen=True)
class Backlog:
    """Work that waits. `oldest_seconds` is how long its oldest item waits; 0 without any."""

    count: int
    oldest_seconds: float


@dataclass(frozen=True)
class FailureReading:
    """A failed trial: the party at fault, and nothing of what it measured."""

    host: str
    at: datetime | None
    code: str
    cause: FailureCause
    stage: str


@dataclass(frozen=True)
class InstallationReading:
    """The state of the installation, from the database.

    Attributes:
        unfinalized: ended runs that the dispatcher has not finalized.
        failed_finalizations: those among them whose finalization failed and is tried again.
        due_deliveries: messages to webhooks that are due.
        missed_scheduled_runs: of the last 24 hours.
        removals: runs with removed seconds or logs whose rows are not deleted yet.
        backup: the scheduled backups; None if none was ever attempted.
    """

    hosts: Sequence[HostReading]
    unfinalized: Backlog
    failed_finalizations: int
    due_deliveries: Backlog
    missed_scheduled_runs: int
    removals: Backlog
    backup: BackupState | None
    database_bytes: int
    schema_revision: str


@dataclass(frozen=True)
class OperatorReading:
    """The content of the database that operators see.

    Attributes:
        failures: the newest failed trials.
        server_version: of PostgreSQL.
    """

    installation: InstallationReading
    failures: Sequence[FailureReading]
    server_version: str

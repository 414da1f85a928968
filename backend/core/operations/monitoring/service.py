"""Read the state of the installation."""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.core.config import get_settings
from backend.core.operations.backups import read_backup_state
from backend.core.operations.monitoring import repository
from backend.core.operations.monitoring.readings import (
    Backlog,
    FailureReading,
    InstallationReading,
    OperatorReading,
)


def observe_installation(session: Session) -> InstallationReading:
    """Return the state of the installation."""
    work = repository.read_work(session)
    return InstallationReading(
        hosts=repository.list_host_readings(session),
        unfinalized=Backlog(work.unfinalized, work.unfinalized_seconds),
        failed_finalizations=work.failed_finalizations,
        due_deliveries=Backlog(work.due_deliveries, work.due_seconds),
        missed_scheduled_runs=work.missed_scheduled_runs,
        removals=Backlog(work.removals, work.removals_seconds),
        backup=read_backup_state(session, datetime.now(UTC), is_on=get_settings().plans_backups),
        database_bytes=work.database_bytes,
        schema_revision=work.schema_revision,
    )


def list_recent_failures(session: Session) -> list[FailureReading]:
    """Return the failed trials of the newest failed runs, the newest first."""
    return repository.list_recent_failures(session)


def observe_for_operators(session: Session) -> OperatorReading:
    """Return the state of the installation with what went wrong lately."""
    return OperatorReading(
        observe_installation(session),
        repository.list_recent_failures(session),
        repository.read_server_version(session),
    )

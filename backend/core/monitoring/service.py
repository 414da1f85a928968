"""Read the state of the installation in one transaction."""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.core.backups.service import read_backup_state
from backend.core.config import get_settings
from backend.core.monitoring import repository
from backend.core.monitoring.readings import (
    FailureReading,
    InstallationReading,
    OperatorReading,
)

# Less than the 3 s for which the API waits for the reading.
_STATEMENT_SECONDS = 2.5


def observe_installation(session: Session) -> InstallationReading:
    """Return the state of the installation. PostgreSQL cancels a statement after 2.5 seconds."""
    repository.limit_statements(session, _STATEMENT_SECONDS)
    return InstallationReading(
        hosts=repository.list_host_readings(session),
        unfinalized=repository.read_unfinalized(session),
        failed_finalizations=repository.count_failed_finalizations(session),
        due_deliveries=repository.read_due_deliveries(session),
        missed_scheduled_runs=repository.count_missed_scheduled_runs(session),
        removals=repository.read_removals(session),
        backup=read_backup_state(session, datetime.now(UTC), is_on=get_settings().plans_backups),
        database_bytes=repository.read_database_bytes(session),
        schema_revision=repository.read_schema_revision(session),
    )


def list_recent_failures(session: Session) -> list[FailureReading]:
    """Return the failed trials of the newest failed runs, the newest first."""
    repository.limit_statements(session, _STATEMENT_SECONDS)
    return repository.list_recent_failures(session)


def observe_for_operators(session: Session) -> OperatorReading:
    """Return the state of the installation with what went wrong lately."""
    return OperatorReading(
        observe_installation(session),
        repository.list_recent_failures(session),
        repository.read_server_version(session),
    )

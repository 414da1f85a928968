"""SQL about the state of the installation. It names hosts, and no run, workspace or person.

Never commits.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated

import psycopg
from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import (
    Cast,
    Float,
    Select,
    SQLColumnExpression,
    String,
    cast,
    column,
    exists,
    extract,
    func,
    or_,
    select,
    table,
    true,
)
from sqlalchemy.orm import Session

from backend.core.catalog.repository import OFFLINE_AFTER
from backend.core.config import get_settings
from backend.core.documents import Failure, HostDisk
from backend.core.models import Host, Run, ScheduledRun, Trial, WebhookDelivery
from backend.core.operations.backups import read_backup_state
from backend.core.operations.monitoring.readings import (
    Backlog,
    DiskReading,
    FailureReading,
    HostReading,
    InstallationReading,
    OperatorReading,
)
from backend.core.runs.status import STAGES
from backend.core.statuses import DeliveryStatus, RunStatus, ScheduledRunStatus, TrialStatus
from backend.core.units import HostFolder

_DAY = timedelta(days=1)
_REVISION = select(column("version_num", String)).select_from(table("alembic_version"))
_RECENT_RUNS = 20
_RECENT_FAILURES = 20
_MOST_DISKS = len(HostFolder)


def _seconds_since(
    moment: SQLColumnExpression[datetime] | SQLColumnExpression[datetime | None],
) -> Cast[float]:
    """Return the seconds from a time to now; 0 if there is none."""
    return cast(func.coalesce(extract("epoch", func.now() - moment), 0), Float)


def _select_work() -> Select[*tuple[object, ...]]:
    # Each of these has one row.
    unfinalized = select(
        func.count().label("unfinalized"),
        _seconds_since(func.min(Run.finished_at)).label("unfinalized_seconds"),
        func.count().filter(Run.finalization_attempts > 0).label("failed"),
    ).where(Run.finished_at.is_not(None), Run.finalized_at.is_(None))
    due = select(
        func.count().label("due"),
        _seconds_since(func.min(WebhookDelivery.due_at)).label("due_seconds"),
    ).where(WebhookDelivery.status == DeliveryStatus.PENDING, WebhookDelivery.due_at <= func.now())
    marked_at = func.greatest(Run.seconds_removed_at, Run.logs_removed_at)
    removals = select(
        func.count().label("removals"),
        _seconds_since(func.min(marked_at)).label("removals_seconds"),
    ).where(Run.has_removed_rows)
    missed = select(func.count()).where(
        ScheduledRun.due_at > func.now() - _DAY, ScheduledRun.status == ScheduledRunStatus.MISSED
    )
    backlogs = [query.subquery() for query in (unfinalized, due, removals)]
    return select(
        *(column for backlog in backlogs for column in backlog.c),
        missed.scalar_subquery().label("missed"),
        func.pg_database_size(func.current_database()).label("database_bytes"),
        _REVISION.scalar_subquery().label("schema_revision"),
    ).select_from(backlogs[0].join(backlogs[1], true()).join(backlogs[2], true()))


def _select_failures() -> Select[str, datetime | None, Failure | None]:
    newest = (
        select(Run.id)
        .where(Run.status == RunStatus.FAILED)
        .order_by(Run.created_at.desc(), Run.id.desc())
        .limit(_RECENT_RUNS)
    )
    return (
        select(Host.name, Trial.finished_at, Trial.failure)
        .join(Host, Host.id == Trial.host_id)
        .where(Trial.run_id.in_(newest), Trial.status == TrialStatus.FAILED)
        .order_by(Trial.finished_at.desc())
        .limit(_RECENT_FAILURES)
    )


# The statements are written once, because that takes as long as their execution.
_HOSTS = (
    select(
        Host.name,
        Host.seen_at > func.now() - OFFLINE_AFTER,
        exists().where(Trial.host_id == Host.id, Trial.status.in_(STAGES)),
        or_(Host.paused_at.is_not(None), Host.leaving_at.is_not(None)),
        Host.disk_shortage != "",
        Host.schema_revision.is_distinct_from(_REVISION.scalar_subquery()),
        select(func.count())
        .where(Trial.host_id == Host.id, Trial.status == TrialStatus.QUEUED)
        .scalar_subquery(),
        _seconds_since(
            select(func.min(Run.created_at))
            .where(Run.host_id == Host.id, Run.status == RunStatus.QUEUED)
            .scalar_subquery()
        ),
        _seconds_since(Host.seen_at),
        Host.harness["tacho"].astext,
        Host.disks,
    )
    .where(~Host.example, Host.revoked_at.is_(None))
    .order_by(Host.name)
)
_WORK = _select_work()
_FAILURES = _select_failures()


def list_host_readings(session: Session) -> list[HostReading]:
    """Return the state of each bench host by name, without revoked hosts and example data."""
    rows = session.execute(_HOSTS)
    return [HostReading(*(*facts, _parse_host_disks(disks))) for *facts, disks in rows]


def _parse_host_disks(stored: object) -> list[DiskReading]:
    """Return the disks that a worker stored, each name once; nothing if the document is invalid.

    The user of a bench host in PostgreSQL can write anything there, and must not make the pages of
    operators fail.
    """
    try:
        disks = _get_disks_adapter().validate_python(stored)
    except ValidationError:
        return []
    return list({disk["name"]: DiskReading(**disk) for disk in disks}.values())


@lru_cache
def _get_disks_adapter() -> TypeAdapter[list[HostDisk]]:
    return TypeAdapter(Annotated[list[HostDisk], Field(max_length=_MOST_DISKS)])


def observe_installation(session: Session) -> InstallationReading:
    """Return the state of the installation."""
    work = session.execute(_WORK).one()
    return InstallationReading(
        hosts=list_host_readings(session),
        unfinalized=Backlog(work.unfinalized, work.unfinalized_seconds),
        failed_finalizations=work.failed,
        due_deliveries=Backlog(work.due, work.due_seconds),
        missed_scheduled_runs=work.missed,
        removals=Backlog(work.removals, work.removals_seconds),
        backup=read_backup_state(session, datetime.now(UTC), is_on=get_settings().plans_backups),
        database_bytes=work.database_bytes,
        schema_revision=work.schema_revision,
    )


def observe_for_operators(session: Session) -> OperatorReading:
    """Return the state of the installation with what went wrong lately."""
    return OperatorReading(
        observe_installation(session), list_recent_failures(session), read_server_version(session)
    )


def list_recent_failures(session: Session) -> list[FailureReading]:
    """Return the failed trials of the newest failed runs, the newest first."""
    return [
        FailureReading(host, at, failure.code, failure.cause, failure.stage)
        for host, at, failure in session.execute(_FAILURES)
        if failure is not None
    ]


def read_server_version(session: Session) -> str:
    """Return the version that PostgreSQL reported to this connection, such as `16.4`."""
    driver = session.connection().connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    version = driver.info.parameter_status("server_version")
    assert version is not None
    # Packages of distributions add their own version.
    return version.split()[0]

"""SQL about the state of the installation. It names hosts, and no run, workspace or person.

Never commits.
"""

from datetime import datetime, timedelta

from sqlalchemy import (
    Cast,
    Float,
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
)
from sqlalchemy.orm import Session

from backend.core.catalog.repository import OFFLINE_AFTER
from backend.core.models import Host, Run, ScheduledRun, Trial, WebhookDelivery
from backend.core.monitoring.host_disks import parse_host_disks
from backend.core.monitoring.readings import Backlog, FailureReading, HostReading
from backend.core.runs.status import STAGES
from backend.core.statuses import DeliveryStatus, RunStatus, ScheduledRunStatus, TrialStatus

_DAY = timedelta(days=1)
_REVISION = select(column("version_num", String)).select_from(table("alembic_version"))
_RECENT_RUNS = 20
_RECENT_FAILURES = 20


def limit_statements(session: Session, seconds: float) -> None:
    """Make PostgreSQL cancel each further statement of the transaction that takes longer."""
    limit = func.set_config("statement_timeout", str(round(seconds * 1000)), True)
    session.execute(select(limit))


def list_host_readings(session: Session) -> list[HostReading]:
    """Return the state of each bench host by name, without revoked hosts and example data."""
    of_host = Trial.host_id == Host.id
    queued = select(func.count()).where(of_host, Trial.status == TrialStatus.QUEUED)
    waiting = select(func.min(Run.created_at)).where(
        Run.host_id == Host.id, Run.status == RunStatus.QUEUED
    )
    rows = session.execute(
        select(
            Host.name,
            Host.seen_at > func.now() - OFFLINE_AFTER,
            exists().where(of_host, Trial.status.in_(STAGES)),
            or_(Host.paused_at.is_not(None), Host.leaving_at.is_not(None)),
            Host.disk_shortage != "",
            Host.schema_revision.is_distinct_from(_REVISION.scalar_subquery()),
            queued.scalar_subquery(),
            _seconds_since(waiting.scalar_subquery()),
            _seconds_since(Host.seen_at),
            Host.harness["tacho"].astext,
            Host.disks,
        )
        .where(~Host.example, Host.revoked_at.is_(None))
        .order_by(Host.name)
    )
    return [HostReading(*(*facts, parse_host_disks(disks))) for *facts, disks in rows]


def read_unfinalized(session: Session) -> Backlog:
    """Return how many ended runs wait to be finalized, and for how long."""
    query = select(func.count(), _seconds_since(func.min(Run.finished_at))).where(
        Run.finished_at.is_not(None), Run.finalized_at.is_(None)
    )
    count, seconds = session.execute(query).one()
    return Backlog(count, seconds)


def count_failed_finalizations(session: Session) -> int:
    """Return how many ended runs could not be finalized, and are tried again."""
    query = select(func.count()).where(
        Run.finished_at.is_not(None), Run.finalized_at.is_(None), Run.finalization_attempts > 0
    )
    return session.scalars(query).one()


def read_due_deliveries(session: Session) -> Backlog:
    """Return how many messages to webhooks are due, and for how long."""
    query = select(func.count(), _seconds_since(func.min(WebhookDelivery.due_at))).where(
        WebhookDelivery.status == DeliveryStatus.PENDING, WebhookDelivery.due_at <= func.now()
    )
    count, seconds = session.execute(query).one()
    return Backlog(count, seconds)


def count_missed_scheduled_runs(session: Session) -> int:
    """Return how many scheduled runs of the last day counted as missed."""
    query = select(func.count()).where(
        ScheduledRun.due_at > func.now() - _DAY, ScheduledRun.status == ScheduledRunStatus.MISSED
    )
    return session.scalars(query).one()


def list_recent_failures(session: Session) -> list[FailureReading]:
    """Return the failed trials of the newest failed runs, the newest first."""
    newest = (
        select(Run.id)
        .where(Run.status == RunStatus.FAILED)
        .order_by(Run.created_at.desc(), Run.id.desc())
        .limit(_RECENT_RUNS)
    )
    rows = session.execute(
        select(Host.name, Trial.finished_at, Trial.failure)
        .join(Host, Host.id == Trial.host_id)
        .where(Trial.run_id.in_(newest), Trial.status == TrialStatus.FAILED)
        .order_by(Trial.finished_at.desc())
        .limit(_RECENT_FAILURES)
    )
    return [
        FailureReading(host, at, failure.code, failure.cause, failure.stage)
        for host, at, failure in rows
        if failure is not None
    ]


def read_removals(session: Session) -> Backlog:
    """Return how many runs have removed rows that are not deleted yet, and for how long."""
    marked_at = func.greatest(Run.seconds_removed_at, Run.logs_removed_at)
    query = select(func.count(), _seconds_since(func.min(marked_at))).where(Run.has_removed_rows)
    count, seconds = session.execute(query).one()
    return Backlog(count, seconds)


def read_database_bytes(session: Session) -> int:
    """Return the size of the database on its disk."""
    size = func.pg_database_size(func.current_database())
    return int(session.scalars(select(size)).one())


def read_server_version(session: Session) -> str:
    """Return the version of PostgreSQL, such as `16.4`."""
    # Packages of distributions add their own version.
    setting = session.scalars(select(func.current_setting("server_version"))).one()
    return str(setting).split()[0]


def read_schema_revision(session: Session) -> str:
    """Return the revision of the schema."""
    return session.scalars(_REVISION).one()


def _seconds_since(
    moment: SQLColumnExpression[datetime] | SQLColumnExpression[datetime | None],
) -> Cast[float]:
    """Return the seconds from a time to now; 0 if there is none."""
    return cast(func.coalesce(extract("epoch", func.now() - moment), 0), Float)

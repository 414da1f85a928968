"""Readings of database, broker and disks, which the requests of this process share."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple, TypeVar

from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.api.operations.health.schemas import HostHealth, PartStatus
from backend.api.operations.hosts.schemas import HostState
from backend.api.operations.hosts.states import find_state
from backend.api.process.shared_reading import SharedReading
from backend.core.config import get_settings
from backend.core.db import make_reading_engine
from backend.core.operations.backups import BackupState, read_backup_state
from backend.core.operations.monitoring.readings import InstallationReading, OperatorReading
from backend.core.operations.monitoring.service import observe_for_operators, observe_installation
from backend.core.queue import open_redis
from backend.core.runs.queue.database_disk import find_shortage
from backend.core.runs.queue.host_activity import HostActivity, list_host_activities
from backend.core.schema import SchemaMismatch, check_schema

T = TypeVar("T")

# Less than the 4 s that a container's health check waits for the answer.
_LIMIT_SECONDS = 3.0
_KEEP_SECONDS = 1.0
# So that PostgreSQL stops working on a reading that has failed.
_STATEMENT_SECONDS = 2.5


class DatabaseReading(NamedTuple):
    """The bench hosts in the database, or why this API cannot read it."""

    hosts: list[HostHealth]
    backup: BackupState | None
    schema_problem: str | None


class Readings(NamedTuple):
    """The readings of the parts. At most one thread makes each reading."""

    database: SharedReading[DatabaseReading]
    broker: SharedReading[bool]
    broker_version: SharedReading[str]
    installation: SharedReading[InstallationReading]
    operator: SharedReading[OperatorReading]
    database_disk: SharedReading[str]


@lru_cache
def get_readings() -> Readings:
    """This process's readings, shared by all requests."""
    limits = {"limit_s": _LIMIT_SECONDS, "keep_s": _KEEP_SECONDS}
    return Readings(
        SharedReading(_read_database, **limits),
        SharedReading(_ping_broker, **limits),
        SharedReading(_read_broker_version, **limits),
        SharedReading(_observe_installation, **limits),
        SharedReading(_observe_for_operators, **limits),
        SharedReading(_find_disk_shortage, **limits),
    )


async def find_reading(reading: SharedReading[T]) -> T | None:
    """Return what a reading found, or None if the part does not answer in time."""
    try:
        return await reading.get()
    except (SQLAlchemyError, RedisError, OSError):  # OSError: also TimeoutError
        return None


def _read_database() -> DatabaseReading:
    """On a connection of its own: requests that use up the pool do not make the database down."""
    with Session(make_reading_engine(get_settings().database_url)) as session:
        try:
            check_schema(session)
        except SchemaMismatch as mismatch:
            return DatabaseReading([], None, mismatch.detail)
        hosts = [_host(host) for host in list_host_activities(session, None)]
        backup = read_backup_state(session, datetime.now(UTC), is_on=get_settings().plans_backups)
        return DatabaseReading(hosts, backup, None)


def _observe_installation() -> InstallationReading:
    with _open_limited_session() as session:
        return observe_installation(session)


def _observe_for_operators() -> OperatorReading:
    with _open_limited_session() as session:
        return observe_for_operators(session)


def _open_limited_session() -> Session:
    return Session(make_reading_engine(get_settings().database_url, _STATEMENT_SECONDS))


def _find_disk_shortage() -> str:
    """A disk of another machine may not answer."""
    return find_shortage(get_settings())


def _read_broker_version() -> str:
    with open_redis(get_settings().redis_url) as client:
        return str(client.info("server")["redis_version"])


def _ping_broker() -> bool:
    with open_redis(get_settings().redis_url) as client:
        return bool(client.ping())


def _host(host: HostActivity) -> HostHealth:
    state = find_state(host)
    is_down = state in {HostState.OFFLINE, HostState.OUTDATED}
    return HostHealth(
        name=host.name,
        status=PartStatus.DOWN if is_down else PartStatus.OK,
        state=state,
        disk_shortage=host.shortage,
    )

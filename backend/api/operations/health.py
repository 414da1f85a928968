"""GET /health: each part is read by one thread at most, and callers share a result for a second."""

import asyncio
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, NamedTuple, TypeVar

from fastapi import Depends, Response
from pydantic import Field
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from backend.api.deps import MaybeCallerDep, needs
from backend.api.http.router import NounRouter
from backend.api.operations.hosts.schemas import HostState
from backend.api.operations.hosts.states import find_state
from backend.api.process.shared_reading import SharedReading
from backend.core.bodies import Schema
from backend.core.config import get_settings
from backend.core.db import make_reading_engine
from backend.core.measurement.statistics.version import STATISTICS_VERSION
from backend.core.operations.backups import BackupState, read_backup_state
from backend.core.operations.monitoring.readings import InstallationReading, OperatorReading
from backend.core.operations.monitoring.repository import (
    observe_for_operators,
    observe_installation,
)
from backend.core.people.access.permissions import Permission
from backend.core.queue import open_redis
from backend.core.runs.queue.database_disk import find_shortage
from backend.core.runs.queue.host_activity import HostActivity, list_host_activities
from backend.core.schema import SchemaMismatch, check_schema
from backend.platform.layout import Layout
from backend.platform.load_generator import read_load_generator_build
from backend.platform.processes.part_states import read_part_states
from backend.version import VERSION


class PartStatus(StrEnum):
    OK = "ok"
    DOWN = "down"


class HostHealth(Schema):
    name: str = Field(examples=["bench-01"])
    status: PartStatus = Field(
        description="`down` if the worker sent no sign of life for 30 s, or if it waits for an "
        "update."
    )
    state: HostState
    disk_shortage: str | None = Field(
        None,
        description="Which disk of the host or database has too little free space, so that the "
        "host takes no new trials, and what to do. Null if none.",
    )


class PartHealth(Schema):
    """A part that `tacho up` supervises."""

    name: str = Field(examples=["worker"])
    status: PartStatus = Field(
        description="`down` after an unexpected end, until the part has run for a minute."
    )
    restarts: int = Field(description="Number of restarts since Tacho started.")
    reason: str | None = Field(
        description="How the process of the part ended last.", examples=["ended with exit code 1"]
    )
    failed_at: datetime | None = Field(description="When the process of the part ended last.")
    next_try_at: datetime | None = Field(
        description="When the part is started again. Null if the part runs."
    )
    last_lines: list[str] = Field(
        description="The last lines of the log of the part. Only operators see them."
    )


class LoadGeneratorHealth(Schema):
    """The build of the load generator, which runs wait for."""

    host: str = Field(description="The bench host.", examples=["bench-01"])
    remaining_seconds: int | None = Field(
        description="About how long the build still takes. Null at the beginning of the build."
    )


class BackupHealth(Schema):
    """The state of the scheduled backups."""

    succeeded_at: datetime | None = Field(description="End of the last successful backup.")
    failed_at: datetime | None = Field(
        description="End of the last attempt, if it failed. Null otherwise."
    )
    error: str | None = Field(description="Why it failed. Only operators see it.")
    next_at: datetime = Field(description="When the next backup begins.")
    is_overdue: bool = Field(description="Whether the next backup should have ended by now.")


class Health(Schema):
    status: PartStatus
    database: PartStatus
    broker: PartStatus
    hosts: list[HostHealth]
    parts: list[PartHealth] = Field(
        description="The parts that `tacho up` supervises. Empty if another program, such as "
        "Docker, restarts them."
    )
    load_generator: LoadGeneratorHealth | None = Field(
        None,
        description="The load generator that `tacho up` is building. Runs on its host wait. Null "
        "if nothing is being built.",
    )
    database_disk_shortage: str | None = Field(
        None,
        description="How much space the disk of the database lacks, so that no new runs are "
        "accepted, and what to do. Null if it has enough, or if nothing is known about it.",
    )
    backup: BackupHealth | None = Field(
        None,
        description="Null if no scheduled backup was ever attempted, or if scheduled backups are "
        "switched off.",
    )
    version: str
    statistics_version: int = Field(
        description="Version of the statistics that computes results now. A snapshot contains the"
        " version that computed it."
    )
    schema_problem: str | None = Field(
        None,
        description="How the schema of the database differs from that of this API, and "
        "what to do. Null if it does not differ, or if the database does not answer.",
    )
    detail: str | None = Field(None, description="The parts that are down.")


def list_parts(*, with_log: bool) -> list[PartHealth]:
    """Return the states of the parts, with the last lines of their logs if wanted."""
    states = read_part_states(Layout(get_settings().data).part_states)
    return [
        PartHealth.of(
            state,
            status=PartStatus.OK if state.is_well else PartStatus.DOWN,
            last_lines=state.last_lines if with_log else [],
        )
        for state in states
    ]


def find_load_generator() -> LoadGeneratorHealth | None:
    """Return the build of the load generator that is going on; None if there is none."""
    settings = get_settings()
    build = read_load_generator_build(Layout(settings.data).load_generator_build)
    if build is None:
        return None
    return LoadGeneratorHealth(
        host=settings.bench_host,
        remaining_seconds=build.find_remaining_seconds(datetime.now(UTC)),
    )


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


router = NounRouter(prefix="/health", tags=["health"], dependencies=[needs(Permission.OPEN)])


@router.get("", responses={503: {"model": Health, "description": "A part is down"}})
async def get_health(
    response: Response,
    readings: Annotated[Readings, Depends(get_readings)],
    caller: MaybeCallerDep,
) -> Health:
    """Return whether database, broker and bench hosts respond. A response of 503 names the part
    that is down.

    Also lists the parts that `tacho up` supervises, and why a part keeps stopping.
    """
    listing, pinging = find_reading(readings.database), find_reading(readings.broker)
    measuring = find_reading(readings.database_disk)
    found, broker, shortage = await asyncio.gather(listing, pinging, measuring)
    down = []
    if found is None:
        down.append("database")
    if broker is None:
        down.append("broker")
    parts = dict.fromkeys(down, PartStatus.DOWN)
    hosts, backup, schema_problem = found or DatabaseReading([], None, None)
    if schema_problem is not None:
        down.append("API (the schema of the database is of another version)")
    elif found is not None and not any(host.status == PartStatus.OK for host in hosts):
        down.append("bench host (no worker is online)")
    if down:
        response.status_code = 503
    is_operator = caller is not None and caller.rights.allow(Permission.OPERATE)
    return Health(
        status=PartStatus.DOWN if down else PartStatus.OK,
        database=parts.get("database", PartStatus.OK),
        broker=parts.get("broker", PartStatus.OK),
        hosts=hosts,
        parts=list_parts(with_log=is_operator),
        load_generator=find_load_generator(),
        database_disk_shortage=shortage or None,
        backup=None
        if backup is None
        else BackupHealth.of(backup, error=backup.error if is_operator else None),
        version=VERSION,
        statistics_version=STATISTICS_VERSION,
        schema_problem=schema_problem,
        detail=f"Down: {', '.join(down)}." if down else None,
    )

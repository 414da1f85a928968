"""PostgreSQL: the engine, the declarative base and units of work."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from enum import Enum, StrEnum
from functools import lru_cache
from typing import ClassVar
from uuid import UUID

import uuid_utils.compat
from sqlalchemy import (
    ARRAY,
    Connection,
    DateTime,
    Engine,
    MetaData,
    Uuid,
    bindparam,
    create_engine,
    text,
)
from sqlalchemy import Enum as SqlEnum
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.pool import NullPool

from backend.core.config import get_settings
from backend.core.units import Metric

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


# Both sides notice within 25 s that the network between them has failed. Otherwise a client would
# wait for many minutes, and the server would keep the locks of a lost connection for hours.
_KEEPALIVES = {"idle": 10, "interval": 5, "count": 3}
_CLIENT_KEEPALIVES = {f"keepalives_{name}": value for name, value in _KEEPALIVES.items()}
_SERVER_KEEPALIVES = {f"tcp_keepalives_{name}": value for name, value in _KEEPALIVES.items()}
_TCP_TIMEOUT_MS = 15_000
# PostgreSQL plans a prepared statement for its parameters each time. A generic plan cannot use the
# partial index of unfinished trials, and PostgreSQL chose one after some executions of the same
# statement: it then read all trials, which took 12 s with a million of them. Connections that
# prepare nothing do without: the setting also plans each check of a foreign key again, which took a
# third of the time of storing the seconds of a trial.
_PLANNING = {"plan_cache_mode": "force_custom_plan"}

# Executions of a statement before it is prepared, which is the driver's default.
_PREPARE_THRESHOLD = 5

# Ids as one parameter of a statement that is built once: `column == any_(IDS)`.
IDS = bindparam("ids", type_=ARRAY(Uuid))

# As many as the API has readings that share an engine.
_READING_CONNECTIONS = 2

DATABASE_DISK_FULL = "The disk of the database is full. Free some space there"
_DISK_FULL = "53100"
_LOCK_TIMEOUT = "55P03"


def closed_list(*, is_checked: bool) -> SqlEnum:
    """Return the column type for members of a StrEnum, which are stored as their values in text.

    Args:
        is_checked: whether PostgreSQL checks the values with a CHECK constraint.
    """
    return SqlEnum(
        Enum,
        native_enum=False,
        length=None,
        create_constraint=is_checked,
        validate_strings=True,
        values_callable=lambda members: [member.value for member in members],
    )


class Base(DeclarativeBase):
    """Base of all tables: named constraints, enums, JSONB documents, timestamps with time zone."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map: ClassVar[Mapping[object, object]] = {
        dict[str, object]: JSONB,
        datetime: DateTime(timezone=True),
        StrEnum: closed_list(is_checked=True),
        # Without a check, so that a new metric needs no migration.
        Metric: closed_list(is_checked=False),
    }


def new_id(at: datetime | None = None) -> UUID:
    """Return a UUIDv7, which sorts by creation time: now, or the time given."""
    return uuid_utils.compat.uuid7(nanoseconds=None if at is None else int(at.timestamp() * 1e9))


def parse_id(text: str) -> UUID | None:
    """Return the id that a text contains; None if the text is not an id."""
    try:
        return UUID(text)
    except ValueError:
        return None


def make_engine(
    database_url: str,
    *,
    connections: int = 15,
    prepares: bool = True,
    read_only: bool = False,
    statement_seconds: float = 0,
    idle_seconds: float = 0,
) -> Engine:
    """Create an engine. Its connections are checked before use and have the name `tacho`.

    Args:
        connections: maximum number of concurrent connections.
        prepares: whether statements that are repeated are prepared. A pooler of transactions gives
            each transaction another connection, on which they are not.
        read_only: PostgreSQL refuses writes, except in transactions with
            `postgresql_readonly=False`.
        statement_seconds: PostgreSQL cancels a statement that takes longer; 0 sets no limit.
        idle_seconds: PostgreSQL closes a connection whose transaction waits longer for its next
            statement; 0 sets no limit.
    """
    limits = {
        "statement_timeout": statement_seconds,
        "idle_in_transaction_session_timeout": idle_seconds,
    }
    chosen = {name: round(seconds * 1000) for name, seconds in limits.items() if seconds}
    if read_only:
        chosen["default_transaction_read_only"] = 1
    planning = _PLANNING if prepares else {}
    options = " ".join(
        f"-c {name}={value}" for name, value in (chosen | _SERVER_KEEPALIVES | planning).items()
    )
    return create_engine(
        database_url,
        pool_pre_ping=True,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=10,
        # A connection that was just used has prepared the statements of busy pages.
        pool_use_lifo=True,
        connect_args={
            "application_name": "tacho",
            "prepare_threshold": _PREPARE_THRESHOLD if prepares else None,
            "connect_timeout": 5,
            "tcp_user_timeout": _TCP_TIMEOUT_MS,
            **_CLIENT_KEEPALIVES,
            "options": options,
        },
    )


@lru_cache
def get_engine() -> Engine:
    """Return the engine of the process, created from the settings.

    A pooler of transactions may be between the process and PostgreSQL.
    """
    return make_engine(get_settings().database_url, prepares=False)


@lru_cache
def make_single_engine(database_url: str) -> Engine:
    """Create an engine without a pool: each use opens and closes a connection.

    A server that disappears without closing its connections is detected within 25 s.
    """
    return create_engine(
        database_url,
        poolclass=NullPool,
        connect_args={
            "application_name": "tacho",
            "connect_timeout": 2,
            **_CLIENT_KEEPALIVES,
        },
    )


@lru_cache
def make_reading_engine(database_url: str, statement_seconds: float = 0) -> Engine:
    """Create the engine of readings about the state of the installation.

    Its connections are apart from the others, so that readings succeed while requests use all of
    those. They stay open, because to open a connection takes longer than a reading. They cannot
    write, and each statement has its own transaction.

    Args:
        statement_seconds: PostgreSQL cancels a statement that takes longer; 0 sets no limit.
    """
    engine = make_engine(
        database_url,
        connections=_READING_CONNECTIONS,
        read_only=True,
        statement_seconds=statement_seconds,
    )
    return engine.execution_options(isolation_level="AUTOCOMMIT")


@lru_cache
def _session_factory() -> sessionmaker[Session]:
    return sessionmaker(get_engine(), expire_on_commit=False)


def new_session() -> Session:
    """Create a session; the caller commits it."""
    return _session_factory()()


@contextmanager
def unit_of_work() -> Iterator[Session]:
    """Run one short transaction: commit at the end, roll back on any exception."""
    with new_session() as session, session.begin():
        yield session


def is_outage(error: BaseException) -> bool:
    """Return whether the database did not answer, so that a repeat may succeed."""
    if isinstance(error, OperationalError | InterfaceError | PoolTimeout):
        return True
    return isinstance(error, DBAPIError) and error.connection_invalidated


def is_disk_full(error: BaseException) -> bool:
    """Return whether the database refused a write because its disk is full."""
    return _find_state(error) == _DISK_FULL


def is_lock_timeout(error: BaseException) -> bool:
    """Return whether a statement waited for a lock longer than its transaction permits."""
    return _find_state(error) == _LOCK_TIMEOUT


def _find_state(error: BaseException) -> str | None:
    """Return PostgreSQL's code of an error; None if it has none."""
    return getattr(getattr(error, "orig", None), "sqlstate", None)


def ping(connection: Connection) -> None:
    """Query the database; raise OperationalError if it does not answer."""
    connection.execute(text("SELECT 1"))

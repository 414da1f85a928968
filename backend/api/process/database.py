"""The database of the API: a small pool of connections with slots for requests."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cached_property
from typing import TypeVar

import anyio
import psycopg
from fastapi.concurrency import run_in_threadpool
from psycopg.rows import TupleRow
from sqlalchemy import Engine
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.orm import Session

from backend.api.process.callers import ComputingTime, find_current_caller
from backend.api.process.gates import Gate
from backend.api.process.lookups import Lookups
from backend.api.process.outages import OutageLog, is_connection_lost
from backend.core.config import get_settings
from backend.core.db import make_engine
from backend.core.people.access.lookup import Rows
from backend.core.schema import REVISION_QUERY, SchemaMismatch, find_mismatch, find_refused

# The schema changes rarely. Until it is read again, statements that fail because of it are
# explained by `find_mismatch`.
_KEEP_SECONDS = 2.0

Fetch = Callable[[str, Mapping[str, object]], Awaitable[Sequence[TupleRow]]]


class SchemaCheck:
    """Reads the revision of the schema every two seconds, while there are requests.

    Args:
        fetch: returns the rows of a statement.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._read_at: float | None = None
        self._mismatch: SchemaMismatch | None = None
        self._log = OutageLog("The schema", "is of another version", "is of this version again")

    async def check(self) -> None:
        """Raise SchemaMismatch if the schema is not that of this version."""
        now = time.monotonic()
        if self._read_at is None or now - self._read_at >= _KEEP_SECONDS:
            # Requests that come meanwhile do not read it too.
            self._read_at = now
            await self.find_mismatch()
        if self._mismatch is not None:
            raise SchemaMismatch(self._mismatch.state, self._mismatch.detail)

    async def find_mismatch(self) -> SchemaMismatch | None:
        """Return how the schema differs from that of this version now, or None."""
        try:
            self._mismatch = await self._read()
        except BaseException:
            self._read_at = None
            raise
        if self._mismatch is None:
            self._log.note_success()
        else:
            self._log.note_failure(self._mismatch)
        return self._mismatch

    async def _read(self) -> SchemaMismatch | None:
        try:
            rows = await self._fetch(REVISION_QUERY, {})
        except psycopg.ProgrammingError as error:
            refused = find_refused(error.sqlstate)
            if refused is None:
                raise
            return refused
        return find_mismatch(rows[0][0] if rows else None)


Result = TypeVar("Result")

# Below the 40 threads that run requests: a request that holds a connection always gets a thread.
CONNECTIONS = 10
_WAIT_SECONDS = 3.0
# A request computes between its statements, at most seconds.
_IDLE_SECONDS = 60


class RequestDatabase:
    """Sessions for requests. Each request holds at most one connection.

    A request first gets one of as many slots as there are connections, and waits for it without a
    thread. So connections and threads never wait for each other in a cycle: a request with a slot
    finds a connection, and a request with a thread never waits for a slot (ADR 0060).

    Attributes:
        slots: the slots of requests.
        computing: what each caller has left. A request spends the time for which it holds a slot.
    """

    def __init__(self) -> None:
        self.computing = ComputingTime()
        self.slots = Gate(
            CONNECTIONS,
            _WAIT_SECONDS,
            "database connections",
            computing=self.computing,
            is_inner=True,
        )
        self._outages = OutageLog("The database", "does not answer", "answers again")
        self._lookups = Lookups()
        self._schema = SchemaCheck(self._fetch)

    @asynccontextmanager
    async def open_session(self, *, read_only: bool) -> AsyncIterator[Session]:
        """Open a transaction that commits at the end and rolls back on any exception.

        Args:
            read_only: PostgreSQL refuses every write, and each statement has its own transaction.

        Raises:
            Unavailable: all connections stayed in use.
            SchemaMismatch: the database has the schema of another version.
        """
        async with self._occupy():
            session = Session(self._reader if read_only else self._writer, expire_on_commit=False)
            with self._observe():
                try:
                    yield session
                except BaseException:
                    with anyio.CancelScope(shield=True):
                        await run_in_threadpool(session.close)
                    raise
                if read_only:
                    # Sends nothing, so it needs no thread.
                    session.close()
                else:
                    await run_in_threadpool(_finish, session)

    async def read(
        self, function: Callable[[Session], Result], *, is_patient: bool = False
    ) -> Result:
        """Return the result of a function that gets a read-only session, in a thread.

        Args:
            is_patient: wait for a connection without a limit, for answers that have begun.

        Raises:
            Unavailable: all connections stayed in use.
            SchemaMismatch: the database has the schema of another version.
        """
        async with self._occupy(is_patient=is_patient):
            return await run_in_threadpool(self._read, function)

    async def look_up(
        self, statement: str, parameters: Mapping[str, object], *, is_patient: bool = False
    ) -> Rows:
        """Return the rows of one quick statement, without a transaction and without a thread.

        Args:
            is_patient: wait for a connection without a limit, for answers that have begun.

        Raises:
            Unavailable: all connections stayed in use.
            SchemaMismatch: the database has the schema of another version.
        """
        async with self._occupy(is_patient=is_patient, is_quick=True):
            return await self._fetch(statement, parameters)

    async def find_schema_mismatch(self) -> SchemaMismatch | None:
        """Return how the schema of the database differs from that of this version now, or None."""
        async with self.slots.enter():
            return await self._schema.find_mismatch()

    @asynccontextmanager
    async def _occupy(
        self, *, is_patient: bool = False, is_quick: bool = False
    ) -> AsyncIterator[None]:
        """Hold a slot, and let the caller pay for the time."""
        caller = find_current_caller()
        async with self.slots.enter(is_patient=is_patient, is_quick=is_quick):
            begin = time.monotonic()
            try:
                await self._schema.check()
                yield
            finally:
                self.computing.spend(caller, time.monotonic() - begin)

    async def _fetch(self, statement: str, parameters: Mapping[str, object]) -> Rows:
        with self._observe():
            return await self._lookups.fetch(statement, parameters)

    def _read(self, function: Callable[[Session], Result]) -> Result:
        with self._observe(), Session(self._reader, expire_on_commit=False) as session:
            return function(session)

    @contextmanager
    def _observe(self) -> Iterator[None]:
        """Log the begin and the end of an outage. A transaction that raises for another reason
        shows neither.
        """
        try:
            yield
        except (OperationalError, InterfaceError) as error:
            if is_connection_lost(error):
                self._outages.note_failure(error)
            raise
        self._outages.note_success()

    async def close(self) -> None:
        """Close all connections."""
        await self._lookups.close()
        if "_engine" in self.__dict__:
            self._engine.dispose()

    @cached_property
    def _engine(self) -> Engine:
        """The connections, created for the first request: the API starts without a database."""
        settings = get_settings()
        return make_engine(
            settings.database_url,
            connections=CONNECTIONS,
            read_only=True,
            statement_seconds=settings.statement_seconds,
            idle_seconds=_IDLE_SECONDS,
        )

    @cached_property
    def _reader(self) -> Engine:
        """The connections, with each statement in its own transaction.

        A transaction of several statements takes two more round trips to PostgreSQL, and its
        isolation, READ COMMITTED, would not let them see the same data.
        """
        return self._engine.execution_options(isolation_level="AUTOCOMMIT")

    @cached_property
    def _writer(self) -> Engine:
        """The same connections, with transactions that may write."""
        return self._engine.execution_options(postgresql_readonly=False)


def _finish(session: Session) -> None:
    with session:
        if session.in_transaction():
            session.commit()

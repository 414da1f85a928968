"""Connections for single quick statements, which need neither a transaction nor a thread."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import psycopg
from psycopg.rows import TupleRow
from sqlalchemy import make_url
from sqlalchemy.exc import InterfaceError, OperationalError

from backend.api.process.outages import is_connection_lost
from backend.core.config import get_settings

Connection = psycopg.AsyncConnection[TupleRow]

_CONNECT_SECONDS = 5
# To plan the lookup of a list took 0.8 to 1 ms, and to execute it 1.2 to 2.2 ms. With this mode,
# PostgreSQL plans it once for each connection that has prepared it.
_PLANNING = "-c plan_cache_mode=force_generic_plan"
# A connection prepares a statement when it executes it for the first time. Of too many, psycopg
# drops the statement that was not executed for the longest time.
_PREPARE_AFTER = 0
_MOST_PREPARED = 100


@dataclass(frozen=True, eq=False)
class _Known:
    """A connection, and the statements that it has prepared, the last executed one last."""

    connection: Connection
    statements: dict[str, None] = field(default_factory=dict)

    def note(self, statement: str) -> None:
        """Record that a statement was executed."""
        self.statements.pop(statement, None)
        self.statements[statement] = None
        if len(self.statements) > _MOST_PREPARED:
            del self.statements[next(iter(self.statements))]


class Lookups:
    """Idle connections for lookups. The caller limits how many are used at the same time."""

    def __init__(self) -> None:
        self._idle: list[_Known] = []

    async def fetch(self, statement: str, parameters: Mapping[str, object]) -> Sequence[TupleRow]:
        """Return the rows of a statement.

        A connection that the server closed while it was idle is replaced.

        Raises:
            sqlalchemy.exc.OperationalError, InterfaceError: as other statements of the API do.
        """
        while self._idle:
            try:
                return await self._execute(self._take(statement), statement, parameters)
            except (OperationalError, InterfaceError) as error:
                if not is_connection_lost(error):
                    raise
        return await self._execute(await self._connect(statement), statement, parameters)

    async def close(self) -> None:
        """Close all idle connections."""
        while self._idle:
            await self._idle.pop().connection.close()

    def _take(self, statement: str) -> _Known:
        """Return an idle connection. Those that have prepared the statement come first."""
        prepared = (known for known in reversed(self._idle) if statement in known.statements)
        taken = next(prepared, self._idle[-1])
        self._idle.remove(taken)
        return taken

    async def _execute(
        self, known: _Known, statement: str, parameters: Mapping[str, object]
    ) -> Sequence[TupleRow]:
        connection = known.connection
        try:
            cursor = await connection.execute(statement.encode(), parameters, binary=True)
            rows = await cursor.fetchall()
        except psycopg.Error as error:
            await connection.close()
            raise _translate(statement, error) from error
        except BaseException:
            # A client that left may have interrupted the statement.
            await asyncio.shield(connection.close())
            raise
        known.note(statement)
        self._idle.append(known)
        return rows

    async def _connect(self, statement: str) -> _Known:
        settings = get_settings()
        url = make_url(settings.database_url).set(drivername="postgresql")
        try:
            connection = await psycopg.AsyncConnection.connect(
                url.render_as_string(hide_password=False),
                autocommit=True,
                application_name="tacho",
                connect_timeout=_CONNECT_SECONDS,
                prepare_threshold=_PREPARE_AFTER,
                options=f"{_PLANNING} -c statement_timeout="
                f"{round(settings.statement_seconds * 1000)}",
            )
        except psycopg.Error as error:
            raise _translate(statement, error) from error
        connection.prepared_max = _MOST_PREPARED
        return _Known(connection)


def _translate(statement: str, error: psycopg.Error) -> Exception:
    """Return the error as SQLAlchemy raises it, so that outages are handled in one place."""
    if isinstance(error, psycopg.OperationalError):
        return OperationalError(statement, None, error)
    if isinstance(error, psycopg.InterfaceError):
        return InterfaceError(statement, None, error)
    return error

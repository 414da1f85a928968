"""Refuses requests while the database has the schema of another version."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import psycopg
from psycopg.rows import TupleRow

from backend.api.process.outages import OutageLog
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

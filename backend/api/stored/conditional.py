"""Look up the sender of a request and the version of a document in one statement."""

from collections.abc import Mapping, Sequence

from psycopg.rows import TupleRow

from backend.api.access.caller import LookUp
from backend.core.stored_documents.repository import (
    FoundVersion,
    Statement,
    join_version_lookup,
    split_joined_row,
)


class LookUpWithVersion:
    """Returns rows like the lookup that it is made of. Its first statement also finds a version.

    A conditional request needs both the sender and the version.

    Args:
        look_up: reads the database.
        version: the statement that finds the version.

    Attributes:
        found: the version, after the first statement. Whether the sender may see the document is
            not checked yet.
    """

    def __init__(self, look_up: LookUp, version: Statement) -> None:
        self._look_up = look_up
        self._version: Statement | None = version
        self.found: FoundVersion | None = None

    async def __call__(
        self, statement: str, parameters: Mapping[str, object]
    ) -> Sequence[TupleRow]:
        """Return the rows of a statement that finds at most one row."""
        version, self._version = self._version, None
        if version is None:
            return await self._look_up(statement, parameters)
        (row,) = await self._look_up(*join_version_lookup(version, (statement, parameters)))
        self.found, rows = split_joined_row(row)
        return rows

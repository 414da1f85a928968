"""Store new documents after they were sent."""

import gzip
import itertools
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from fastapi.concurrency import run_in_threadpool

from backend.api.process.database import RequestDatabase
from backend.api.process.late_writer import LateWriter
from backend.core.stored_documents import repository

# When more bytes wait, further documents are not stored, and so computed again.
_MOST_BYTES = 32_000_000
# Fast: a document is compressed once and sent often, but bench hosts should stay idle.
_COMPRESSION = 5
# The size of the table is checked after so many times.
_CHECK_AFTER = 50


class _NewDocument(NamedTuple):
    key: str
    version: str
    body: bytes
    is_compressed: bool


class DocumentWriter:
    """Stores documents in the background. If that fails, they are only computed again."""

    def __init__(self, database: RequestDatabase) -> None:
        self._database = database
        self._writer: LateWriter[_NewDocument] = LateWriter(self._write, "documents")
        self._times = itertools.count(1)

    def find(self, key: str, version: str) -> bytes | None:
        """Return the body of a document that is not stored yet; None if there is none."""
        found = self._writer.waiting.get(key)
        return found.body if found is not None and found.version == version else None

    def add(self, key: str, version: str, body: bytes, *, is_compressed: bool = False) -> None:
        """Let a document be stored instead of an earlier one with its key.

        Args:
            is_compressed: whether the stored body is compressed with gzip. `body` is not.
        """
        waiting = sum(len(document.body) for document in self._writer.waiting.values())
        if waiting + len(body) <= _MOST_BYTES:
            self._writer.add(key, _NewDocument(key, version, body, is_compressed))

    async def flush(self) -> None:
        """Store all documents that wait."""
        await self._writer.flush()

    async def close(self) -> None:
        """Drop the documents that are not stored yet."""
        await self._writer.close()

    async def _write(self, documents: Mapping[Hashable, _NewDocument]) -> None:
        rows = await run_in_threadpool(lambda: list(map(_make_row, documents.values())))
        async with self._database.open_session(read_only=False) as session:
            await run_in_threadpool(repository.put_documents, session, rows)
            if next(self._times) % _CHECK_AFTER == 0:
                await run_in_threadpool(repository.delete_oldest, session)


def _make_row(document: _NewDocument) -> tuple[str, str, bytes]:
    """Return key, version and stored body."""
    body = document.body
    if document.is_compressed:
        body = gzip.compress(body, _COMPRESSION, mtime=0)
    return document.key, document.version, body

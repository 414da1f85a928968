"""Compute the responses to GET requests, each for one viewer."""

import gzip
import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import BaseModel
from sqlalchemy.orm import Session

from backend.api.process.database import RequestDatabase
from backend.api.process.gates import Gate, SharedCalls
from backend.core.people.access.viewer import Viewer

# Smaller bodies are sent as they are.
_LEAST_COMPRESSED_BYTES = 1_000
# Fast: a body is compressed for each response.
_COMPRESSION = 1


@dataclass(frozen=True)
class Computation:
    """A function, the viewer for whom it computes, and its arguments.

    It is the key of a shared computation, and all that the computation gets. So callers only share
    what is computed with the rights that each of them has.

    Attributes:
        function: gets a session, the viewer and the arguments. A closure over a request is equal to
            no other function, so its computation is never shared.
        gate: the turns of requests that compute; None for a page that takes milliseconds.
        is_compressed: whether a body that is large enough is compressed with gzip.
    """

    function: Callable[..., BaseModel | bytes]
    viewer: Viewer
    arguments: tuple[Hashable, ...]
    gate: Gate | None = None
    is_compressed: bool = False

    def run(self, session: Session) -> "Content":
        """Return the body of the response."""
        found = self.function(session, self.viewer, *self.arguments)
        body = found if isinstance(found, bytes) else found.model_dump_json(by_alias=True).encode()
        digest = hashlib.sha256(body).hexdigest()
        if not self.is_compressed or len(body) < _LEAST_COMPRESSED_BYTES:
            return Content(body, digest, is_compressed=False)
        return Content(gzip.compress(body, _COMPRESSION, mtime=0), digest, is_compressed=True)


class Content(NamedTuple):
    """The body of a response.

    Attributes:
        digest: SHA-256 of the body before its compression, in hexadecimal digits.
        is_compressed: whether the body is compressed with gzip.
    """

    body: bytes
    digest: str
    is_compressed: bool


class Computations:
    """The computations of one API process. Each runs in one turn of a thread.

    Args:
        database: gives read-only sessions.
    """

    def __init__(self, database: RequestDatabase) -> None:
        self._database = database
        self._shared: SharedCalls[Computation, Content] = SharedCalls(self._run)

    async def get(self, computation: Computation) -> Content:
        """Return the result of a computation that begins after this call.

        Equal computations with turns that wait at the same time are computed once.

        Raises:
            Unavailable: no turn was free in time, or all database connections stayed in use.
        """
        if computation.gate is None:
            return await self._database.read(computation.run)
        return await self._shared.get(computation)

    async def _run(self, computation: Computation) -> Content:
        assert computation.gate is not None
        async with computation.gate.enter():
            return await self._database.read(computation.run)

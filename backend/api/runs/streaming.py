"""Exports, which are sent piece by piece."""

import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from functools import partial

from fastapi.responses import StreamingResponse
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.types import Send

from backend.api.process.resources import AppResources
from backend.api.results.sharing.exported_page import Piece
from backend.core.errors import TachoError

logger = logging.getLogger(__name__)

Check = Callable[[], Awaitable[None]]

# After this time or so many characters, an export lets others compute.
_TURN_SECONDS = 0.02
_TURN_LENGTH = 256 * 1024


class ExportStream(StreamingResponse):
    """An export in pieces. A few of them are written in a short transaction, so that a client that
    reads slowly holds no database connection.

    Args:
        check: raises an error if the caller may not read the export any more. Called before each
            transaction.
    """

    def __init__(
        self,
        resources: AppResources,
        parts: Iterator[Piece],
        media_type: str,
        headers: Mapping[str, str],
        check: Check,
    ) -> None:
        super().__init__(_write(resources, parts, check), media_type=media_type, headers=headers)

    async def stream_response(self, send: Send) -> None:
        """Send the response. After a failure, the connection closes before the end of the response,
        so that the client detects the missing data.
        """
        try:
            await super().stream_response(send)
        except (SQLAlchemyError, TachoError) as error:
            logger.warning("an export ended early: %s", error)


async def _write(
    resources: AppResources, parts: Iterator[Piece], check: Check
) -> AsyncIterator[bytes]:
    while True:
        await check()
        async with resources.reading.enter(is_patient=True):
            content = await resources.database.read(partial(_take_turn, parts), is_patient=True)
        if content is None:
            return
        yield content.encode()


def _take_turn(parts: Iterator[Piece], session: Session) -> str | None:
    """Return the next pieces, as many as a turn may take; None at the end."""
    end = time.monotonic() + _TURN_SECONDS
    written: list[str] = []
    for part in parts:
        written.append(part if isinstance(part, str) else part(session))
        if time.monotonic() >= end or sum(map(len, written)) >= _TURN_LENGTH:
            break
    return "".join(written) if written else None

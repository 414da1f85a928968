"""Exports, which are sent piece by piece."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

from fastapi.responses import StreamingResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import Send

from backend.api.process.resources import AppResources
from backend.api.sharing.document import Piece
from backend.core.errors import TachoError

logger = logging.getLogger(__name__)

Check = Callable[[], Awaitable[None]]


class ExportStream(StreamingResponse):
    """An export in pieces. Each piece with data is read in a short transaction, so that a client
    that reads slowly holds no database connection.

    Args:
        check: raises an error if the caller may not read the export any more. Called before each
            piece.
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
    for part in parts:
        await check()
        if isinstance(part, str):
            yield part.encode()
            continue
        async with resources.reading.enter(is_patient=True):
            content = await resources.database.read(part, is_patient=True)
        yield content.encode()

"""Store what no request has to wait for: shortly after it came, several items at a time."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from backend.api.process.callers import set_current_caller
from backend.core.errors import TachoError

logger = logging.getLogger(__name__)

Item = TypeVar("Item")

# A client often sends its next requests at once. To write meanwhile made them slower.
_DELAY_SECONDS = 0.3


class LateWriter(Generic[Item]):
    """Writes items in the background. If that fails, they are lost.

    Args:
        write: stores items by key.
        subject: what the items are, for the log.
    """

    def __init__(
        self, write: Callable[[Mapping[Hashable, Item]], Awaitable[None]], subject: str
    ) -> None:
        self._write = write
        self._subject = subject
        self._waiting: dict[Hashable, Item] = {}
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> Mapping[Hashable, Item]:
        """Return the items that are not stored yet, by key."""
        return self._waiting

    def add(self, key: Hashable, item: Item) -> None:
        """Let an item be stored, instead of the item that waits under the same key."""
        self._waiting[key] = item
        if self._task is None:
            self._task = asyncio.create_task(self._write_later())

    async def flush(self) -> None:
        """Store all items that wait."""
        async with self._turn:
            while self._waiting:
                await self._write_some(dict(self._waiting))

    async def close(self) -> None:
        """Drop the items that are not stored yet."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _write_some(self, items: Mapping[Hashable, Item]) -> None:
        try:
            await self._write(items)
        except (SQLAlchemyError, TachoError) as error:
            logger.info("%s were not stored: %s", self._subject, error)
        finally:
            for key, item in items.items():
                # A newer one may wait by now.
                if self._waiting.get(key) is item:
                    del self._waiting[key]

    async def _write_later(self) -> None:
        # The task began in that of a request.
        set_current_caller(None)
        try:
            await asyncio.sleep(_DELAY_SECONDS)
            await self.flush()
        finally:
            self._task = None

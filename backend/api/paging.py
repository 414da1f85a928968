"""Cursors of lists: a sort key and an id, encoded so that clients treat them as opaque."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from fastapi import Query

from backend.api.schemas import Page
from backend.core.errors import InvalidRequest
from backend.core.runs.listing import ListedRow, SortKey

Cursor = Annotated[str | None, Query(description="The value of `next` in an earlier page.")]
PageSize = Annotated[int, Query(ge=1, le=100)]
Item = TypeVar("Item")
Key = TypeVar("Key")


def make_page(rows: Sequence[ListedRow], items: Mapping[UUID, Item], limit: int) -> Page[Item]:
    """Return a page with the items of some rows.

    Args:
        rows: at most one more than `limit`. The last one then begins the next page.
        items: by id. A row without an item was deleted in the meantime.
    """
    shown = rows[:limit]
    return Page(
        items=[items[row.id] for row in shown if row.id in items],
        next=encode_cursor(shown[-1].key, shown[-1].id) if len(rows) > limit else None,
    )


def encode_cursor(key: SortKey, identifier: UUID) -> str:
    """Return the cursor of the position after the item with this key, which is often its time."""
    text = key.isoformat() if isinstance(key, datetime) else str(key)
    return urlsafe_b64encode(f"{text}|{identifier}".encode()).decode()


def decode_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Return the time and id of a cursor; raise InvalidRequest for any other text."""
    return read_cursor(cursor, datetime.fromisoformat)


def read_cursor(cursor: str, read_key: Callable[[str], Key]) -> tuple[Key, UUID]:
    """Return the key and id of a cursor; raise InvalidRequest for any other text.

    Args:
        read_key: raises ValueError for any other text.
    """
    try:
        text, _, identifier = urlsafe_b64decode(cursor.encode()).decode().rpartition("|")
        return read_key(text), UUID(identifier)
    except ValueError as error:
        detail = "is not a cursor of this list; use the `next` of an earlier page."
        raise InvalidRequest.about("cursor", detail) from error

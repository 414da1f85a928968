"""Cursors of lists: a timestamp and an id, encoded so that clients treat them as opaque."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from backend.api.schemas import Page
from backend.core.errors import InvalidRequest
from backend.core.runs.listing import ListedRow

Item = TypeVar("Item")


def make_page(rows: Sequence[ListedRow], items: Mapping[UUID, Item], limit: int) -> Page[Item]:
    """Return a page with the items of some rows.

    Args:
        rows: at most one more than `limit`. The last one then begins the next page.
        items: by id. A row without an item was deleted in the meantime.
    """
    shown = rows[:limit]
    return Page(
        items=[items[row.id] for row in shown if row.id in items],
        next=encode_cursor(shown[-1].at, shown[-1].id) if len(rows) > limit else None,
    )


def encode_cursor(at: datetime, identifier: UUID) -> str:
    """Return the cursor of the position after this item."""
    return urlsafe_b64encode(f"{at.isoformat()}|{identifier}".encode()).decode()


def decode_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Return the timestamp and id of a cursor; raise InvalidRequest for any other text."""
    try:
        at, _, identifier = urlsafe_b64decode(cursor.encode()).decode().partition("|")
        return datetime.fromisoformat(at), UUID(identifier)
    except ValueError as error:
        detail = "is not a cursor of this list; use the `next` of an earlier page."
        problem = {"field": "cursor", "detail": detail}
        raise InvalidRequest(f"cursor: {detail}", [problem]) from error

"""Cursors of lists: a timestamp and an id, encoded so that clients treat them as opaque."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from uuid import UUID

from backend.core.errors import InvalidRequest


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

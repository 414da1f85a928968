"""Pages that are computed for each request."""

from collections.abc import Callable

from fastapi import Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from backend.api.process.resources import AppResources


async def respond_with_page(
    resources: AppResources, compute: Callable[[Session], BaseModel]
) -> Response:
    """Return a page as JSON.

    The page, its JSON and the end of its transaction take one turn of a thread. With `SessionDep`
    they take three, and each turn waits for other threads.

    Args:
        compute: gets a read-only session.
    """

    def write(session: Session) -> bytes:
        return compute(session).model_dump_json(by_alias=True).encode()

    body = await resources.database.read(write)
    return Response(body, media_type="application/json")

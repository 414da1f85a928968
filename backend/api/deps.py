"""What routes depend on: a session that commits before the response is sent, and who may write."""

import ipaddress
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, get_args

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from redis.asyncio import Redis
from sqlalchemy.orm import Session

from backend.api.runs.schemas import Visibility
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.errors import Unauthorized
from backend.core.queue import open_wire


def get_session() -> Iterator[Session]:
    """One transaction a request."""
    with unit_of_work() as session:
        yield session


async def get_wire() -> AsyncIterator[Redis]:
    """A connection to Redis for as long as a stream lasts."""
    async with open_wire() as wire:
        yield wire


# scope="function": committed before the client hears of it, so that it can read what it wrote.
SessionDep = Annotated[Session, Depends(get_session, scope="function")]
# Closed with the request: a generator that a reader has left is closed whenever it is collected.
WireDep = Annotated[Redis, Depends(get_wire)]
SettingsDep = Annotated[Settings, Depends(get_settings)]

bearer = HTTPBearer(
    auto_error=False, description="TACHO_TOKEN; not needed for calls over loopback."
)


def is_trusted(
    request: Request,
    settings: SettingsDep,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> bool:
    """Whether the caller may write: over loopback, or with the token."""
    if settings.token and credentials is not None:
        given, wanted = credentials.credentials.encode(), settings.token.encode()
        return secrets.compare_digest(given, wanted)
    # A proxy on this machine makes strangers look local; what it forwards for is no loopback call.
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    # Nor is a page of another site that has the browser of someone on this machine ask for it.
    if request.headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
        return False
    # Nor is one that gave its own name the address of this machine (DNS rebinding).
    if not _is_loopback(request.url.hostname or ""):
        return False
    return request.client is not None and _is_loopback(request.client.host)


TrustedDep = Annotated[bool, Depends(is_trusted)]


def list_visibilities(trusted: TrustedDep) -> tuple[str, ...]:
    """Visibilities of the runs that the caller's lists hold: strangers see the public ones."""
    return get_args(Visibility) if trusted else ("public",)


ListedDep = Annotated[tuple[str, ...], Depends(list_visibilities)]


def require_writer(trusted: TrustedDep) -> None:
    """Raises Unauthorized unless the caller may write."""
    if not trusted:
        raise Unauthorized(
            "Writing needs the header 'Authorization: Bearer <TACHO_TOKEN>' from another machine; "
            "ask the operator for the token."
        )


Writer = Depends(require_writer)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

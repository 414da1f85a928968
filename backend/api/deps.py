"""What routes depend on: a session that commits before the response is sent, and who is calling."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, get_args

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from redis.asyncio import Redis
from sqlalchemy.orm import Session

from backend.api.access.caller import Caller, identify
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
    auto_error=False,
    description="The value of TACHO_TOKEN. Not needed in an installation without a token that "
    "trusts loopback.",
)


def identify_caller(
    request: Request,
    settings: SettingsDep,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Caller:
    """Return who sent the request."""
    return identify(request, settings, credentials.credentials if credentials else None)


CallerDep = Annotated[Caller, Depends(identify_caller)]


def is_trusted(caller: CallerDep) -> bool:
    """Return whether the caller may make changes and read private runs."""
    return caller.is_trusted


TrustedDep = Annotated[bool, Depends(is_trusted)]


def list_visibilities(trusted: TrustedDep) -> tuple[str, ...]:
    """Visibilities of the runs that the caller's lists hold: strangers see the public ones."""
    return get_args(Visibility) if trusted else ("public",)


ListedDep = Annotated[tuple[str, ...], Depends(list_visibilities)]


def require_writer(caller: CallerDep) -> None:
    """Raises Unauthorized unless the caller may make changes."""
    if not caller.is_trusted:
        raise Unauthorized(caller.refusal)


Writer = Depends(require_writer)

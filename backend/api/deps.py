"""Dependencies of routes: a session that commits before the response is sent, and the caller."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from backend.api.access.caller import Caller, identify
from backend.api.process.resources import AppResources
from backend.core.config import Settings, get_settings
from backend.core.errors import Unauthorized
from backend.core.runs.visibility import list_listed


async def get_resources(request: Request) -> AppResources:
    """Return the resources that the requests of this process share."""
    resources: AppResources = request.state.resources
    return resources


ResourcesDep = Annotated[AppResources, Depends(get_resources)]


_READING_METHODS = frozenset({"GET", "HEAD"})


async def get_session(request: Request, resources: ResourcesDep) -> AsyncIterator[Session]:
    """Open the transaction of a request, which is read-only for GET."""
    read_only = request.method in _READING_METHODS
    async with resources.database.open_session(read_only=read_only) as session:
        yield session


async def read_in_turn(resources: ResourcesDep) -> AsyncIterator[None]:
    """Wait for a turn to compute for tens of milliseconds, before waiting for a database slot."""
    async with resources.reading.enter():
        yield


async def analyse_in_turn(resources: ResourcesDep) -> AsyncIterator[None]:
    """Wait for a turn to compute for seconds, before waiting for a database slot."""
    async with resources.analysing.enter():
        yield


async def export_in_turn(resources: ResourcesDep) -> AsyncIterator[None]:
    """Wait for a turn to export."""
    async with resources.exporting.enter():
        yield


async def send_in_turn(resources: ResourcesDep) -> AsyncIterator[None]:
    """Wait for a turn to call another server."""
    async with resources.sending.enter():
        yield


# scope="function": committed before the client gets the answer, so that it can read what it wrote.
SessionDep = Annotated[Session, Depends(get_session, scope="function")]


async def _get_settings() -> Settings:
    """The settings. FastAPI would call a plain function in a thread."""
    return get_settings()


SettingsDep = Annotated[Settings, Depends(_get_settings)]

# Of a route's `dependencies`, which are resolved before its parameters.
LargeRead = Depends(read_in_turn, scope="function")
Analysis = Depends(analyse_in_turn, scope="function")
# Held until the answer is sent.
Exporting = Depends(export_in_turn, scope="request")
Sending = Depends(send_in_turn, scope="function")

bearer = HTTPBearer(
    auto_error=False,
    description="The value of TACHO_TOKEN. Not needed in an installation without a token that "
    "trusts loopback.",
)


async def identify_caller(
    request: Request,
    settings: SettingsDep,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Caller:
    """Return who sent the request."""
    return identify(request, settings, credentials.credentials if credentials else None)


CallerDep = Annotated[Caller, Depends(identify_caller)]


async def is_trusted(caller: CallerDep) -> bool:
    """Return whether the caller may make changes and read private runs."""
    return caller.is_trusted


TrustedDep = Annotated[bool, Depends(is_trusted)]


async def list_visibilities(trusted: TrustedDep) -> tuple[str, ...]:
    """Return the visibilities of the runs that the caller's pages list, link to and count."""
    return list_listed(is_trusted=trusted)


ListedDep = Annotated[tuple[str, ...], Depends(list_visibilities)]


async def require_writer(caller: CallerDep) -> None:
    """Raises Unauthorized unless the caller may make changes."""
    if not caller.is_trusted:
        raise Unauthorized(caller.refusal)


Writer = Depends(require_writer)

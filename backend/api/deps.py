"""Dependencies of routes: a session that commits before the response is sent, and the caller."""

from asyncio import create_task, gather
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.params import Depends as DependsParam
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from backend.api.access.caller import Caller, find_address, identify, name_limit_key
from backend.api.access.cookie import COOKIE
from backend.api.http.limits import ANONYMOUS_BYTES, BODY_LIMIT, SIGNED_IN_BYTES
from backend.api.process.callers import set_current_caller
from backend.api.process.resources import AppResources
from backend.api.schemas import RequestBody
from backend.core.config import Settings, get_settings
from backend.core.errors import LimitExceeded, Unavailable
from backend.core.people.access.keys import TOKEN_PREFIX
from backend.core.people.access.permissions import Permission
from backend.core.people.access.use import Use
from backend.core.people.access.viewer import Viewer
from backend.core.people.audit.recording import set_actor
from backend.core.people.tokens.restrictions import set_restrictions


async def get_resources(request: Request) -> AppResources:
    """Return the resources that the requests of this process share."""
    resources: AppResources = request.state.resources
    return resources


ResourcesDep = Annotated[AppResources, Depends(get_resources)]


_READING_METHODS = frozenset({"GET", "HEAD"})


async def _get_settings() -> Settings:
    """The settings. FastAPI would call a plain function in a thread."""
    return get_settings()


SettingsDep = Annotated[Settings, Depends(_get_settings)]

bearer = HTTPBearer(
    auto_error=False,
    description="An access token, which begins with `tacho_`, or the value of TACHO_TOKEN. Not "
    "needed in an installation without accounts and token that trusts loopback.",
)


@dataclass(frozen=True)
class Sender:
    """The sender of a request, who is not identified yet.

    Attributes:
        bearer: the token of the Authorization header.
    """

    request: Request
    resources: AppResources
    settings: Settings
    bearer: str | None

    @property
    def secret(self) -> str | None:
        """Return the token or cookie of the request."""
        return self.bearer or self.request.cookies.get(COOKIE)

    @property
    def expected_key(self) -> str | None:
        """Return the limit key of the last sender with this token or cookie; None without one."""
        return self.resources.senders.find(self.secret)

    async def identify(self, *, is_patient: bool = False) -> Caller:
        """Return who sent the request, and let its task know for whom it computes.

        Args:
            is_patient: wait for a connection without a limit, for answers that have begun.

        Raises:
            LimitExceeded: too many sign-ins from this address failed.
            NotFound: the request names a workspace that the caller does not belong to.
        """
        address = find_address(self.request)
        set_current_caller(self.expected_key or name_limit_key(address))
        # Access tokens are too long to be guessed, but a person may have chosen TACHO_TOKEN.
        is_guessable = self.bearer is not None and not self.bearer.startswith(TOKEN_PREFIX)
        rates = self.resources.rates
        if is_guessable:
            await rates.check_failures(address, None)
        look_up = partial(self.resources.database.look_up, is_patient=is_patient)
        caller = await identify(self.request, self.settings, self.bearer, look_up)
        if is_guessable and caller.proof is None:
            await rates.count_failure(address, None)
        set_current_caller(caller.limit_key)
        return caller

    async def identify_and_count(self) -> Caller:
        """Return who sent the request, as `identify` does, and count the request.

        A request is counted while the database is read if its sender is known. If a token was
        revoked since, one request counts twice.

        Raises:
            LimitExceeded: it is one too many, or the caller has no computing time left.
        """
        rates, expected = self.resources.rates, self.expected_key
        counting = create_task(rates.count_request(expected))
        try:
            caller = await self.identify()
        finally:
            (refusal,) = await gather(counting, return_exceptions=True)
        if expected is None or caller.limit_key != expected:
            await rates.count_request(caller.limit_key)
            # Wrong tokens must not fill the memory.
            key = None if caller.proof is None else caller.limit_key
            self.resources.senders.remember(self.secret, key)
        elif refusal is not None:
            raise refusal
        self.resources.database.computing.check(caller.limit_key)
        if caller.is_stale:
            use = Use(caller.session_id, caller.token_id, find_address(self.request))
            self.resources.uses.add(caller.session_id or caller.token_id, use)
        return caller


async def get_sender(
    request: Request,
    resources: ResourcesDep,
    settings: SettingsDep,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Sender:
    """Return the sender of the request. The database is not read yet."""
    return Sender(request, resources, settings, credentials.credentials if credentials else None)


SenderDep = Annotated[Sender, Depends(get_sender)]


async def identify_caller(sender: SenderDep) -> Caller:
    """Return who sent the request, and count it. Raises LimitExceeded if it is one too many."""
    return await sender.identify_and_count()


CallerDep = Annotated[Caller, Depends(identify_caller)]


async def read_in_turn(resources: ResourcesDep, _: CallerDep) -> AsyncIterator[None]:
    """Wait for a turn to compute for tens of milliseconds, before waiting for a database slot."""
    async with resources.reading.enter():
        yield


async def analyse_in_turn(resources: ResourcesDep, _: CallerDep) -> AsyncIterator[None]:
    """Wait for a turn to compute for seconds, before waiting for a database slot."""
    async with resources.analysing.enter():
        yield


async def export_in_turn(resources: ResourcesDep, _: CallerDep) -> AsyncIterator[None]:
    """Wait for a turn to export."""
    async with resources.exporting.enter():
        yield


async def send_in_turn(resources: ResourcesDep, _: CallerDep) -> AsyncIterator[None]:
    """Wait for a turn to call another server."""
    async with resources.sending.enter():
        yield


async def receive_in_turn(resources: ResourcesDep, _: CallerDep) -> AsyncIterator[None]:
    """Wait for a turn to send a large body."""
    async with resources.receiving.enter():
        yield


async def sign_in_in_turn(request: Request, resources: ResourcesDep) -> AsyncIterator[None]:
    """Wait for a turn to check a password."""
    set_current_caller(name_limit_key(find_address(request)))
    async with resources.signing_in.enter():
        yield


# Of a route's `dependencies`, which are resolved before its parameters.
LargeRead = Depends(read_in_turn, scope="function")
Analysis = Depends(analyse_in_turn, scope="function")
# Held until the answer is sent.
Exporting = Depends(export_in_turn, scope="request")
Sending = Depends(send_in_turn, scope="function")
Receiving = Depends(receive_in_turn, scope="function")
SigningIn = Depends(sign_in_in_turn, scope="function")


async def identify_if_possible(sender: SenderDep) -> Caller | None:
    """Return who sent the request; None while the database does not answer. It is not counted."""
    try:
        return await sender.identify()
    except (DBAPIError, LimitExceeded, Unavailable):
        return None


MaybeCallerDep = Annotated[Caller | None, Depends(identify_if_possible)]


async def get_viewer(caller: CallerDep) -> Viewer:
    """Return whose data the caller may read."""
    return caller.viewer


ViewerDep = Annotated[Viewer, Depends(get_viewer)]


async def get_workspace_id(caller: CallerDep) -> UUID:
    """Return the id of the workspace of the request; raises Unauthorized or Forbidden without."""
    return caller.require_workspace().id


WorkspaceDep = Annotated[UUID, Depends(get_workspace_id)]


class Needs:
    """A dependency that checks one permission. Each route has exactly one.

    Attributes:
        body_bytes: the most bytes of the body of a request.
    """

    def __init__(self, permission: Permission, body_bytes: int) -> None:
        self.permission = permission
        self.body_bytes = body_bytes

    async def __call__(self, caller: CallerDep) -> None:
        """Raises Unauthorized or Forbidden without the permission."""
        caller.require(self.permission)


class _NeedsNothing(Needs):
    """Permission.OPEN, which everyone has: the caller need not be known."""

    async def __call__(self) -> None:  # type: ignore[override]
        """Let the request in."""


def needs(permission: Permission, *, body_bytes: int | None = None) -> DependsParam:
    """Return the dependency of a route that checks its permission.

    Args:
        body_bytes: the most bytes of the body of a request. Default: those of its permission.
    """
    is_open = permission is Permission.OPEN
    body_bytes = body_bytes or (ANONYMOUS_BYTES if is_open else SIGNED_IN_BYTES)
    kind = _NeedsNothing if is_open else Needs
    found: DependsParam = Depends(kind(permission, body_bytes))
    return found


def declare_permissions(router: APIRouter) -> None:
    """Write the permission and the limit of each route into the OpenAPI document.

    Raises:
        RuntimeError: a route does not declare exactly one permission, or its body is not a
            RequestBody.
    """
    for route in router.routes:
        assert isinstance(route, APIRoute)
        found = [
            dependency.dependency
            for dependency in route.dependencies
            if isinstance(dependency.dependency, Needs)
        ]
        if len(found) != 1:
            raise RuntimeError(f"{route.path} must need one permission, and needs {len(found)}.")
        route.openapi_extra = {
            **(route.openapi_extra or {}),
            "x-permission": str(found[0].permission),
        }
        if "requestBody" in route.openapi_extra:
            # The route reads bytes.
            route.openapi_extra[BODY_LIMIT] = found[0].body_bytes
        if route.body_field is None:
            continue
        body = route.body_field.field_info.annotation
        # Another body would have no limit of faults.
        is_limited = isinstance(body, type) and issubclass(body, RequestBody)
        if not is_limited:
            raise RuntimeError(f"The body of {route.path} must be a RequestBody, and is {body}.")
        route.openapi_extra[BODY_LIMIT] = found[0].body_bytes


async def get_session(
    request: Request, resources: ResourcesDep, caller: CallerDep
) -> AsyncIterator[Session]:
    """Open the transaction of a request, which is read-only for GET."""
    read_only = request.method in _READING_METHODS
    async with resources.database.open_session(read_only=read_only) as session:
        set_actor(session, caller.actor)
        set_restrictions(session, caller.restrictions)
        yield session


# scope="function": committed before the client gets the answer, so that it can read what it wrote.
SessionDep = Annotated[Session, Depends(get_session, scope="function")]

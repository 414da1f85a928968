"""/device-logins: sign in on the command line, as the device flow of OAuth 2.0 (RFC 8628) does.

The program starts a sign-in and shows a code. A person enters the code in the browser and approves.
The program requests its token again and again until then.
"""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field, StrictBool, StringConstraints

from backend.addresses import DEVICE_PAGE
from backend.api.access.caller import find_address
from backend.api.access.origin import find_origin
from backend.api.deps import CallerDep, ResourcesDep, identify_caller, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.schemas import Name, RequestBody
from backend.core.bodies import Schema
from backend.core.errors import Conflict
from backend.core.models import Workspace
from backend.core.people.access.lookup import look_up_installation, read_installation
from backend.core.people.access.permissions import Permission
from backend.core.people.tokens import device_logins
from backend.core.people.tokens.device_logins import INTERVAL_SECONDS, LIFETIME_SECONDS
from backend.core.statuses import TokenScope

ClientName = Annotated[
    Name, StringConstraints(min_length=1), Field(examples=["tacho on adas-laptop"])
]
UserCode = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        examples=["WDJB-MJHT"],
        description="The code that the terminal shows. Spaces, hyphens and case do not matter.",
    ),
]


class DeviceLoginIn(RequestBody):
    client_name: ClientName = Field(
        description="Name of the program and its machine. It becomes the name of the token."
    )
    scope: TokenScope


class NewDeviceLoginOut(Schema):
    device_code: str = Field(
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="Secret of the program, with which it requests the token.",
    )
    user_code: str = Field(
        examples=["WDJB-MJHT"], description="The code that the person enters in the browser."
    )
    verification_url: str = Field(
        examples=["https://tacho.example/device"],
        description="The page on which the person enters the code.",
    )
    expires_in: int = Field(
        LIFETIME_SECONDS, description="Number of seconds until both codes expire."
    )
    interval: int = Field(
        INTERVAL_SECONDS, description="Number of seconds to wait between requests of the token."
    )


class DeviceCode(RequestBody):
    device_code: str = Field(
        min_length=1,
        max_length=200,
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
    )


class PendingOut(Schema):
    """Nobody has approved or denied the sign-in yet."""

    status: Literal["pending"]


class DeviceTokenOut(Schema):
    """The access token of an approved sign-in."""

    status: Literal["approved"]
    token: str = Field(
        examples=["tacho_Zk3vQ9hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiR"],
        description="The token, to send as `Authorization: Bearer …`. No other response contains"
        " it.",
    )
    scope: TokenScope = Field(
        description="The person who approved may have chosen another scope than the requested one."
    )
    workspace: str = Field(examples=["main"], description="Slug of the workspace of the token.")
    expires_at: datetime


TokenPickUp = Annotated[PendingOut | DeviceTokenOut, Field(discriminator="status")]


class UserCodeIn(RequestBody):
    user_code: UserCode


class DeviceLoginOut(Schema):
    """A sign-in of the command line, for the person who decides it."""

    client_name: str = Field(
        examples=["tacho on adas-laptop"], description="The name that the program gives itself."
    )
    address: str = Field(
        examples=["203.0.113.5"], description="Network address that it was started from."
    )
    scope: TokenScope
    started_at: datetime


class DecisionIn(UserCodeIn):
    approve: StrictBool
    scope: TokenScope | None = Field(
        None, description="Scope of the token. Null: the requested scope."
    )


router = NounRouter(prefix="/device-logins", tags=["device-logins"])


# Each start stores a sign-in, so starts and calls for tokens count as requests of the caller.
@router.post(
    "",
    status_code=201,
    dependencies=[needs(Permission.OPEN), Depends(identify_caller)],
    responses=problems(409, 413, 422),
)
async def start_device_login(
    request: Request, resources: ResourcesDep, body: DeviceLoginIn
) -> NewDeviceLoginOut:
    """Start to sign in on the command line. Both codes work for 10 minutes."""
    state = read_installation(await resources.database.look_up(*look_up_installation()))
    if not state.has_users:
        raise Conflict(
            "This installation has no accounts, so nobody can approve a sign-in. `tacho operator` "
            "prints a link that creates the first account. If the installation has a token, set "
            "TACHO_TOKEN to it."
        )
    device_code, user_code = await run_in_threadpool(
        device_logins.start, body.client_name, body.scope, find_address(request)
    )
    return NewDeviceLoginOut(
        device_code=device_code,
        user_code=user_code,
        verification_url=find_origin(request) + DEVICE_PAGE,
    )


@router.post(
    "/token",
    dependencies=[needs(Permission.OPEN), Depends(identify_caller)],
    responses=problems(403, 404, 409, 413, 422),
)
async def pick_up_token(request: Request, resources: ResourcesDep, body: DeviceCode) -> TokenPickUp:
    """Return the access token of an approved sign-in. It works once.

    Until a person decides, the status is `pending`. The response is 403 after a denial, and 404 if
    the sign-in has expired or was used. Wait for `interval` seconds before each call, otherwise it
    gets 429.
    """
    if not await run_in_threadpool(device_logins.is_approved, body.device_code):
        return PendingOut(status="pending")
    async with resources.database.open_session(read_only=False) as session:
        token, secret = await run_in_threadpool(
            device_logins.create_token, session, body.device_code, find_address(request)
        )
        workspace = await run_in_threadpool(session.get_one, Workspace, token.workspace_id)
    return DeviceTokenOut.of(token, status="approved", token=secret, workspace=workspace.slug)


@router.post(
    "/read",
    dependencies=[needs(Permission.ACCOUNT)],
    responses=problems(401, 403, 404, 413, 422),
)
def read_device_login(
    caller: CallerDep, resources: ResourcesDep, body: UserCodeIn
) -> DeviceLoginOut:
    """Return the sign-in that waits with a code. The response is 429 after many wrong codes."""
    assert caller.person is not None
    with resources.rates.guard_code(caller.person.id):
        return DeviceLoginOut.of(device_logins.read(body.user_code))


@router.post(
    "/decide",
    dependencies=[needs(Permission.ACCOUNT)],
    responses=problems(401, 403, 404, 413, 422),
)
def decide_device_login(
    caller: CallerDep, resources: ResourcesDep, body: DecisionIn
) -> DeviceLoginOut:
    """Approve or deny the sign-in that waits with a code.

    After an approval, the program gets a personal token for the workspace of this request, for 90
    days. The response is 429 after many wrong codes.
    """
    assert caller.person is not None
    with resources.rates.guard_code(caller.person.id):
        if not body.approve:
            return DeviceLoginOut.of(device_logins.deny(body.user_code))
        workspace = caller.require_workspace()
        return DeviceLoginOut.of(
            device_logins.approve(
                body.user_code,
                body.scope,
                user_id=caller.person.id,
                workspace_id=workspace.id,
                role=workspace.role,
            )
        )

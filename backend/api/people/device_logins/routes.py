"""/device-logins: sign in on the command line, as the device flow of OAuth 2.0 (RFC 8628) does.

The program starts a sign-in and shows a code. A person enters the code in the browser and approves.
The program requests its token again and again until then.
"""

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from backend.addresses import DEVICE_PAGE
from backend.api.access.caller import find_address
from backend.api.access.origin import find_origin
from backend.api.deps import CallerDep, ResourcesDep, identify_caller, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.people.device_logins.schemas import (
    DecisionIn,
    DeviceCode,
    DeviceLoginIn,
    DeviceLoginOut,
    DeviceTokenOut,
    NewDeviceLoginOut,
    PendingOut,
    TokenPickUp,
    UserCodeIn,
)
from backend.core.errors import Conflict
from backend.core.models import Workspace
from backend.core.people.access.lookup import look_up_installation, read_installation
from backend.core.people.access.permissions import Permission
from backend.core.people.tokens import device_logins

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

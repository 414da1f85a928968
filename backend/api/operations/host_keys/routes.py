"""/host-keys and /joined-hosts: keys with which machines join as bench hosts."""

from typing import Annotated

from fastapi import Path, Request

from backend.api.access.caller import find_address
from backend.api.access.origin import find_origin
from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SettingsDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.host_keys.schemas import (
    HostKeyIn,
    HostKeyOut,
    JoinIn,
    JoinOut,
    NewHostKeyOut,
)
from backend.api.operations.host_keys.views import (
    join_out,
    new_host_key_out,
)
from backend.api.schemas import Name, Page
from backend.core.operations.host_lifecycle import invitations
from backend.core.operations.host_lifecycle.invitations import JoiningMachine
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts.repository import list_usable_host_links
from backend.platform.bench_host.host_addresses import check_addresses

router = NounRouter(prefix="/host-keys", tags=["hosts"])
# Not below /host-keys, because a host may have any name.
joining_router = NounRouter(prefix="/joined-hosts", tags=["hosts"])


@router.get("", dependencies=[needs(Permission.OPERATE)], responses=problems(401, 403))
def list_host_keys(session: SessionDep) -> Page[HostKeyOut]:
    """Return the keys that wait for their machines, by name of the host."""
    return Page(items=[HostKeyOut.of(link) for link in list_usable_host_links(session)])


@router.post(
    "",
    status_code=201,
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 409, 413, 422),
)
def create_host_key(
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    caller: CallerDep,
    body: HostKeyIn,
) -> NewHostKeyOut:
    """Create a key with which one machine joins as a bench host, within 24 hours.

    It replaces an earlier key for the same name. The response is 409 if a host with this name did
    not join with a key, and if other machines cannot reach the database or Redis.
    """
    check_addresses(settings)
    created = invitations.invite_host(session, body.name, caller.actor.user_id)
    return new_host_key_out(body.name, created, find_origin(request))


@router.delete(
    "/{name}",
    status_code=204,
    dependencies=[needs(Permission.OPERATE)],
    responses=problems(401, 403, 404, 413, 422),
)
def withdraw_host_key(
    session: SessionDep, name: Annotated[Name, Path(examples=["bench-02"])]
) -> None:
    """Withdraw the key of a host that has not joined. It then does not work."""
    invitations.withdraw_key(session, name)


@joining_router.post(
    "",
    dependencies=[needs(Permission.OPEN)],
    responses=problems(404, 409, 413, 422),
)
def join(
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    resources: ResourcesDep,
    body: JoinIn,
) -> JoinOut:
    """Join as a bench host with a key, and get credentials for the database and for Redis.

    The response is 404 for a key that is wrong, used, withdrawn or expired, and 429 after many such
    keys.
    """
    address = find_address(request)
    with resources.rates.guard_sign_in(address, None):
        link = invitations.lock_key(session, body.key)
    machine = JoiningMachine(
        runtime=body.runtime,
        runtime_reason=body.runtime_reason,
        fingerprint=body.fingerprint,
        fingerprint_digest=body.fingerprint_digest,
        harness=body.harness,
    )
    host, credentials = invitations.join(session, link, machine, address)
    return join_out(settings, host, credentials)

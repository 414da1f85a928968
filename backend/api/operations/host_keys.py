"""/host-keys and /joined-hosts: keys with which machines join as bench hosts.

Keys are in bodies only, so that no log of requests contains them.
"""

from datetime import datetime
from typing import Annotated

from fastapi import Path, Request
from pydantic import AliasPath, Field

from backend.api.access.caller import find_address
from backend.api.access.origin import find_origin
from backend.api.deps import CallerDep, ResourcesDep, SessionDep, SettingsDep, needs
from backend.api.http.problems import problems
from backend.api.http.router import NounRouter
from backend.api.operations.hosts.schemas import HostName
from backend.api.schemas import Name, Page, RequestBody
from backend.core.bodies import Schema
from backend.core.config import Settings
from backend.core.documents import Harness, HostFingerprint
from backend.core.models import Host
from backend.core.operations.bench_hosts.credentials import HostCredentials
from backend.core.operations.host_lifecycle import invitations
from backend.core.people.access.permissions import Permission
from backend.core.people.accounts.links import NewLink
from backend.core.people.accounts.repository import list_usable_host_links
from backend.core.units import RuntimeKind
from backend.platform.bench_host.host_addresses import (
    add_user,
    check_addresses,
    find_database,
    find_redis,
    read_ca,
)


class HostKeyIn(RequestBody):
    name: HostName = Field(
        description="Name of the bench host. A host that joined before keeps its results and gets "
        "new credentials."
    )


class HostKeyOut(Schema):
    """A key that waits for its machine."""

    name: str = Field(validation_alias=AliasPath("host_name"), examples=["bench-02"])
    created_at: datetime
    expires_at: datetime


class NewHostKeyOut(Schema):
    """A key, and two commands that use it. One of them is run on the new machine."""

    name: str = Field(examples=["bench-02"])
    key: str = Field(
        examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"],
        description="It works once. No other response contains it.",
    )
    join_command: str = Field(
        examples=["make join URL=https://tacho.example KEY=hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiR"],
        description="The command to run in a clone of Tacho on the new machine.",
    )
    container_command: str = Field(
        examples=["make join-container URL=https://tacho.example KEY=hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3m"],
        description="The same for a machine with Docker Compose, whose worker is a container.",
    )
    expires_at: datetime


class JoinIn(RequestBody):
    """A key, and the properties of the machine that joins."""

    key: str = Field(
        min_length=1, max_length=200, examples=["hJ0T7f2nWZ4rYvQ1s8cKXq5bUe3mPdLg6aNiRtOyEwA"]
    )
    runtime: RuntimeKind
    runtime_reason: str = Field(max_length=2_000)
    fingerprint: HostFingerprint
    fingerprint_digest: str = Field(pattern="^[0-9a-f]{16,64}$")
    harness: Harness = Field(max_length=50)


class JoinOut(Schema):
    """The settings of a new bench host. No other response contains its password."""

    name: str = Field(examples=["bench-02"])
    bench_host: str = Field(description="Value of TACHO_BENCH_HOST.", examples=["bench-02"])
    database_url: str = Field(
        examples=["postgresql://tacho_host_5f2c:pAsSw0rD@db.example.org:5432/tacho"]
    )
    redis_url: str = Field(examples=["rediss://tacho_host_5f2c:pAsSw0rD@db.example.org:6380/0"])
    ca_certificate: str | None = Field(
        description="Certificate of the CA of both servers, in PEM. Null: a CA that machines know."
    )


def new_host_key_out(name: str, created: NewLink, origin: str) -> NewHostKeyOut:
    """With the key: for the response that creates it."""
    arguments = f"URL={origin} KEY={created.key}"
    return NewHostKeyOut.of(
        created,
        name=name,
        join_command=f"make join {arguments}",
        container_command=f"make join-container {arguments}",
    )


def join_out(settings: Settings, host: Host, credentials: HostCredentials) -> JoinOut:
    """Return the settings of a host. Raises Conflict if other machines reach no database."""
    database = find_database(settings).set(
        username=credentials.database_user, password=credentials.database_password
    )
    return JoinOut(
        name=host.name,
        bench_host=host.queue,
        database_url=database.render_as_string(hide_password=False),
        redis_url=add_user(
            find_redis(settings), credentials.redis_user, credentials.redis_password
        ),
        ca_certificate=read_ca(settings),
    )


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
    machine = invitations.JoiningMachine(
        runtime=body.runtime,
        runtime_reason=body.runtime_reason,
        fingerprint=body.fingerprint,
        fingerprint_digest=body.fingerprint_digest,
        harness=body.harness,
    )
    host, credentials = invitations.join(session, link, machine, address)
    return join_out(settings, host, credentials)

"""Keys of bench hosts as the API shows them."""

from backend.api.operations.host_keys.schemas import HostKeyOut, JoinIn, JoinOut, NewHostKeyOut
from backend.core.config import Settings
from backend.core.models import Host, OneTimeLink
from backend.core.operations.bench_hosts.credentials import HostCredentials
from backend.core.operations.host_lifecycle.invitations import JoiningMachine
from backend.core.people.accounts.links import NewLink
from backend.platform.bench_host.host_addresses import add_user, find_database, find_redis, read_ca


def host_key_out(link: OneTimeLink) -> HostKeyOut:
    return HostKeyOut.model_validate(
        {"name": link.host_name, "created_at": link.created_at, "expires_at": link.expires_at}
    )


def new_host_key_out(name: str, created: NewLink, origin: str) -> NewHostKeyOut:
    """With the key: for the response that creates it."""
    arguments = f"URL={origin} KEY={created.key}"
    return NewHostKeyOut(
        name=name,
        key=created.key,
        join_command=f"make join {arguments}",
        container_command=f"make join-container {arguments}",
        expires_at=created.expires_at,
    )


def read_machine(body: JoinIn) -> JoiningMachine:
    """Return the machine of a request."""
    return JoiningMachine(
        runtime=body.runtime,
        runtime_reason=body.runtime_reason,
        fingerprint=body.fingerprint,
        fingerprint_digest=body.fingerprint_digest,
        harness=body.harness,
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

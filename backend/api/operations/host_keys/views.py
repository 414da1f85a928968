"""Keys of bench hosts as the API shows them."""

from backend.api.operations.host_keys.schemas import JoinOut, NewHostKeyOut
from backend.core.config import Settings
from backend.core.models import Host
from backend.core.operations.bench_hosts.credentials import HostCredentials
from backend.core.people.accounts.links import NewLink
from backend.platform.bench_host.host_addresses import add_user, find_database, find_redis, read_ca


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

"""The credentials of bench hosts: a user in PostgreSQL and in Redis, with the same password.

A user is created and revoked in one transaction of PostgreSQL. Redis follows after its commit, and
`synchronize` repairs what an outage or an emptied Redis has lost.
"""

import hashlib
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import redis
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from backend.core.errors import Conflict
from backend.core.models import Host, HostCredential
from backend.core.operations.bench_hosts import broker, repository
from backend.core.operations.bench_hosts.grants import HOST_ROLE
from backend.core.queue import get_redis

_log = logging.getLogger(__name__)
_PREFIX = f"{HOST_ROLE}_"


@dataclass(frozen=True, repr=False)
class HostCredentials:
    """The users and passwords of a bench host. The server stores no password."""

    database_user: str
    database_password: str
    redis_user: str
    redis_password: str


def create_credentials(
    session: Session, host: Host, client: redis.Redis | None = None
) -> HostCredentials:
    """Create the users of a bench host, which replace earlier ones, and return them.

    The user of Redis works from the commit on.

    Args:
        session: of a user who may create roles.
        host: the bench host.
        client: of Redis; None for that of the settings.

    Raises:
        Conflict: Tacho's user of PostgreSQL may not create roles; the detail names the fix.
    """
    revoke_credentials(session, host, client)
    username, password = _PREFIX + secrets.token_hex(8), secrets.token_urlsafe(32)
    verifier = repository.make_verifier(session, password, username)
    try:
        with session.begin_nested():
            repository.create_login_role(session, username, verifier)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in repository.NO_ROLES:
            raise
        raise Conflict(
            "Tacho's user of PostgreSQL may not create users for bench hosts. Run `tacho migrate` "
            "and follow the message that it prints."
        ) from error
    digest = hashlib.sha256(password.encode()).hexdigest()
    session.add(HostCredential(username=username, host_id=host.id, redis_password_sha256=digest))
    session.flush()
    _after_commit(session, partial(synchronize, client=client))
    return HostCredentials(username, password, username, password)


def revoke_credentials(session: Session, host: Host, client: redis.Redis | None = None) -> None:
    """Revoke the users of a bench host, if it has any, and end their connections at once.

    Args:
        session: of a user who may drop roles.
        host: the bench host.
        client: of Redis; None for that of the settings.
    """
    credential = repository.find_credential(session, host.id)
    if credential is None:
        return
    credential.host_id = None
    session.flush()
    repository.lock_login_role(session, credential.username)
    # A connection that began before the commit ends now.
    _after_commit(session, partial(synchronize, client=client))


def synchronize(session: Session, client: redis.Redis | None = None) -> None:
    """Make the users of both servers agree with the stored credentials.

    Drops revoked users, and creates the users of Redis again if it was emptied.

    Args:
        session: of a user who may drop roles.
        client: of Redis; None for that of the settings.

    Raises:
        RedisError: Redis does not answer, or does not let Tacho manage users.
    """
    revoked = repository.list_revoked(session)
    client = client or get_redis()
    broker.put_users(
        client,
        {
            credential.username: (credential.redis_password_sha256, queue)
            for credential, queue in repository.list_valid(session)
        },
    )
    broker.delete_users(client, revoked)
    for username in revoked:
        repository.drop_login_role(session, username)


def _after_commit(session: Session, work: Callable[[Session], None]) -> None:
    """Run `work` in a transaction of its own after the commit. The dispatcher repeats a failure."""
    bind = session.get_bind()
    engine = bind.engine if isinstance(bind, Connection) else bind
    assert isinstance(engine, Engine)

    def act(_: Session) -> None:
        try:
            with Session(engine) as fresh, fresh.begin():
                work(fresh)
        except (redis.RedisError, SQLAlchemyError) as error:
            _log.warning("the users of bench hosts are updated later: %s", type(error).__name__)

    event.listen(session, "after_commit", act, once=True)

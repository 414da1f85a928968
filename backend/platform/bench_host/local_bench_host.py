"""Credentials for the bench host of the installation itself, next to the API."""

import os
from pathlib import Path

import redis
from sqlalchemy import make_url
from sqlalchemy.orm import Session

from backend.core.catalog.repository import find_host_of_queue
from backend.core.catalog.service import register_host
from backend.core.config import Settings
from backend.core.db import make_engine
from backend.core.operations.bench_hosts import repository
from backend.core.operations.bench_hosts.credentials import (
    HostCredentials,
    create_credentials,
    synchronize,
)
from backend.core.queue import open_redis
from backend.core.units import RuntimeKind
from backend.platform.credentials.part_users import SETTINGS_NAME, read_setting, write_settings
from backend.platform.errors import PlatformError


def provide_credentials(settings: Settings, folder: Path) -> HostCredentials:
    """Write settings with users of its own for the bench host TACHO_BENCH_HOST, and return them.

    Users of an earlier start stay if they still exist.

    Args:
        settings: with the addresses of both servers, as users who may create others.
        folder: for the settings.

    Raises:
        Conflict: Tacho's user of PostgreSQL may not create roles.
        PlatformError: Redis does not answer, or does not let Tacho manage users.
    """
    engine, client = make_engine(settings.database_url), open_redis(settings.redis_url)
    try:
        with Session(engine) as session, session.begin():
            credentials = _create(session, settings.bench_host, folder, client)
        with Session(engine) as session, session.begin():
            # A Redis that was started again has no users of bench hosts.
            synchronize(session, client)
    except redis.RedisError as error:
        raise PlatformError(
            f"REDIS_URL: Redis does not let Tacho manage users: {error}. It must be version 7 or "
            "newer, and Tacho's user must be allowed to use ACL."
        ) from error
    finally:
        engine.dispose()
        client.close()
    # The addresses may have changed since an earlier start.
    database, broker = (
        make_url(address).set(username=username, password=password)
        for address, username, password in (
            (settings.database_url, credentials.database_user, credentials.database_password),
            (settings.redis_url, credentials.redis_user, credentials.redis_password),
        )
    )
    write_settings(
        folder,
        database.set(drivername="postgresql").render_as_string(hide_password=False),
        broker.render_as_string(hide_password=False),
        os.geteuid(),
    )
    return credentials


def _create(session: Session, queue: str, folder: Path, client: redis.Redis) -> HostCredentials:
    """Return the credentials of an earlier start, or create them if they are not valid.

    Creates the host if its worker never started.
    """
    host = find_host_of_queue(session, queue)
    if host is None:
        # The worker describes its machine when it starts.
        host = register_host(
            session,
            queue,
            runtime=RuntimeKind.DOCKER,
            fingerprint={},
            fingerprint_digest="",
            harness={},
        )
    known = repository.find_credential(session, host.id)
    url = read_setting(folder / SETTINGS_NAME, "DATABASE_URL")
    if known is not None and url is not None and make_url(url).username == known.username:
        username, password = known.username, str(make_url(url).password)
        return HostCredentials(username, password, username, password)
    return create_credentials(session, host, client)

"""Bench hosts get users in PostgreSQL and Redis, which end at once when they are revoked."""

import pytest
import redis
from sqlalchemy import Engine, func, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from backend.core.config import Settings
from backend.core.db import get_engine, new_session, unit_of_work
from backend.core.models import Host, HostCredential, Trial
from backend.core.operations.bench_hosts.credentials import (
    HostCredentials,
    create_credentials,
    revoke_credentials,
    synchronize,
)
from backend.core.queue import get_redis
from backend.tests.core.operations.bench_hosts.conftest import SignedIn, open_engine


def open_redis(credentials: HostCredentials) -> redis.Redis:
    known = get_redis().connection_pool.connection_kwargs
    return redis.Redis(
        host=known["host"],
        port=known["port"],
        username=credentials.redis_user,
        password=credentials.redis_password,
    )


def has_role(username: str) -> bool:
    with get_engine().connect() as connection:
        query = text("SELECT count(*) FROM pg_roles WHERE rolname = :name")
        return bool(connection.scalar(query, {"name": username}))


def count_trials(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(Trial)) or 0


def test_nothing_shows_the_passwords(mine: SignedIn) -> None:
    assert mine.credentials.database_password not in repr(mine.credentials)
    with unit_of_work() as session:
        row = session.scalars(select(HostCredential)).one()
        assert mine.credentials.redis_password not in str(vars(row))


def test_revoked_credentials_end_at_once(mine: SignedIn) -> None:
    username = mine.credentials.database_user
    with mine.engine.connect() as connection, open_redis(mine.credentials) as client:
        connection.execute(text("SELECT 1"))
        client.ping()

        # Revoking them twice changes nothing.
        for _ in range(2):
            with unit_of_work() as session:
                revoke_credentials(session, session.get_one(Host, mine.host_id))

        with pytest.raises(DBAPIError):
            connection.execute(text("SELECT 1"))
        with pytest.raises(redis.RedisError):
            client.ping()
    with pytest.raises(OperationalError, match="password authentication failed"):
        mine.engine.connect()
    with pytest.raises(redis.AuthenticationError):
        open_redis(mine.credentials).ping()
    assert not has_role(username)
    with unit_of_work() as session:
        assert session.scalars(select(HostCredential)).all() == []


def test_rotated_credentials_replace_the_earlier_ones(mine: SignedIn, database: Settings) -> None:
    with unit_of_work() as session:
        fresh = create_credentials(session, session.get_one(Host, mine.host_id))

    assert count_trials(open_engine(database.database_url, fresh)) == 2
    with pytest.raises(OperationalError):
        mine.engine.connect()
    assert open_redis(fresh).ping()
    with pytest.raises(redis.AuthenticationError):
        open_redis(mine.credentials).ping()


def test_credentials_that_are_not_committed_give_no_access(
    mine: SignedIn, database: Settings
) -> None:
    with new_session() as session:
        fresh = create_credentials(session, session.get_one(Host, mine.host_id))
        session.rollback()

    with pytest.raises(OperationalError):
        open_engine(database.database_url, fresh).connect()
    # The earlier users are as before.
    assert count_trials(mine.engine) == 2
    assert open_redis(mine.credentials).ping()


def test_an_emptied_redis_gets_its_users_again(mine: SignedIn) -> None:
    get_redis().acl_deluser(mine.credentials.redis_user)

    with unit_of_work() as session:
        synchronize(session)

    assert open_redis(mine.credentials).ping()


def test_a_deleted_host_has_no_access(mine: SignedIn) -> None:
    with unit_of_work() as session:
        session.execute(text("DELETE FROM trial"))
        session.execute(text("DELETE FROM run"))
        session.execute(text("DELETE FROM host"))
    with mine.engine.connect() as connection:
        assert connection.scalar(text("SELECT current_bench_host()")) is None

    with unit_of_work() as session:
        synchronize(session)

    assert not has_role(mine.credentials.database_user)

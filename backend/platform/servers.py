"""Check that the servers of DATABASE_URL and REDIS_URL answer, and name the variable to fix if
not."""

import psycopg
import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoPermissionError
from redis.retry import Retry
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.db import make_single_engine
from backend.core.queue import open_redis
from backend.core.schema import SchemaMismatch, check_schema
from backend.platform.disk import mentions_full_disk
from backend.platform.errors import PlatformError

# Earlier versions of PostgreSQL have no `any_value`.
OLDEST_POSTGRES = 16
# Earlier versions of Redis have no rights for single keys, which users of bench hosts need.
OLDEST_REDIS = 7
_LIMIT_S = 3


def check_servers(database_url: str, redis_url: str) -> None:
    """Connect to both; an empty URL is not checked.

    Raises:
        PlatformError: a server does not answer, refuses the connection, or is too old; the detail
        names the variable and the fix.
    """
    if database_url:
        check_database(database_url)
    if redis_url:
        check_redis(redis_url)


def check_database(database_url: str) -> None:
    """Connect once, and check the version of the server.

    Raises:
        PlatformError: the detail names DATABASE_URL and the fix.
    """
    shown = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=True)
    try:
        with psycopg.connect(
            plain_url(database_url), connect_timeout=_LIMIT_S, application_name="tacho start"
        ) as connection:
            version = connection.info.server_version
    except psycopg.Error as error:
        raise PlatformError(f"DATABASE_URL={shown}: {_explain_database(str(error))}") from error
    # 160015 is 16.15.
    major, minor = divmod(version, 10_000)
    if major < OLDEST_POSTGRES:
        raise PlatformError(
            f"DATABASE_URL={shown}: the server is PostgreSQL {major}.{minor}, but Tacho needs "
            f"PostgreSQL {OLDEST_POSTGRES} or newer. Upgrade the server, or set DATABASE_URL to a "
            "newer one; with an empty DATABASE_URL, `tacho up` starts its own PostgreSQL."
        )


def find_schema_mismatch(database_url: str) -> SchemaMismatch | None:
    """Return how the schema of a database differs from that of this version, or None.

    Raises:
        PlatformError: the database does not answer.
    """
    try:
        with Session(make_single_engine(database_url)) as session:
            check_schema(session)
    except SchemaMismatch as mismatch:
        return mismatch
    except OperationalError as error:
        reason = str(error.orig).splitlines()[0]
        raise PlatformError(f"The database stopped answering: {reason}. Try again.") from error
    return None


def plain_url(database_url: str) -> str:
    """Return the URL as libpq reads it, without the name of SQLAlchemy's driver."""
    return make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)


def check_redis(redis_url: str) -> None:
    """Ping once, and check the version if the user may read it, which bench hosts may not.

    Raises:
        PlatformError: the detail names REDIS_URL and the fix.
    """
    limits = {"socket_timeout": _LIMIT_S, "socket_connect_timeout": _LIMIT_S}
    try:
        client = redis.Redis.from_url(redis_url, retry=Retry(NoBackoff(), 0), **limits)
    except ValueError as error:
        raise PlatformError(
            "REDIS_URL is not a URL of Redis. Write it as redis://host:6379/0."
        ) from error
    connection = client.connection_pool.connection_kwargs
    where = connection.get("path") or f"{connection.get('host')}:{connection.get('port')}"
    try:
        with client:
            client.ping()
            version = _read_redis_version(client)
    except redis.AuthenticationError as error:
        raise PlatformError(
            f"REDIS_URL: Redis at {where} refuses the password. Correct it in "
            "redis://:password@host:6379/0."
        ) from error
    except redis.RedisError as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            raise PlatformError(
                f"REDIS_URL: the certificate of Redis at {where} is not trusted: {error} Correct "
                "the host name, or name the CA's file in ssl_ca_certs."
            ) from error
        raise PlatformError(
            f"REDIS_URL: no Redis answers at {where}. Start it, or correct REDIS_URL; "
            "with an empty REDIS_URL, `tacho up` starts its own Redis."
        ) from error
    if version is not None and int(version.partition(".")[0]) < OLDEST_REDIS:
        raise PlatformError(
            f"REDIS_URL: Redis at {where} is version {version}, but Tacho needs Redis "
            f"{OLDEST_REDIS} or newer. Upgrade the server, or set REDIS_URL to a newer one; with "
            "an empty REDIS_URL, `tacho up` starts its own Redis."
        )


def _read_redis_version(client: redis.Redis) -> str | None:
    """Return the version of Redis; None if the user may not read it. Valkey names one too."""
    try:
        return str(client.info("server")["redis_version"])
    except NoPermissionError:
        return None


def check_redis_rights(redis_url: str) -> None:
    """List the clients once: by that, `tacho up` sees whether its parts are connected.

    Raises:
        PlatformError: the user of REDIS_URL may not do that; the detail has the fix.
    """
    try:
        with open_redis(redis_url) as client:
            client.client_list()
    except NoPermissionError as error:
        raise PlatformError(
            "REDIS_URL: its user may not run CLIENT LIST, by which `tacho up` sees whether its "
            "parts are connected. Allow it with `ACL SETUSER <user> +client|list`, or name another "
            "user."
        ) from error


def _explain_database(reason: str) -> str:
    """Return what is wrong and what to do, judged by libpq's message, because libpq gives no
    code."""
    if "password authentication failed" in reason or "no password supplied" in reason:
        return "the server refuses this user or password. Correct them in DATABASE_URL."
    if "role" in reason and "does not exist" in reason:
        return "the server has no such user. Correct it in DATABASE_URL, or create it."
    if "database" in reason and "does not exist" in reason:
        return "the server has no such database. Create it, or correct DATABASE_URL."
    if mentions_full_disk(reason):
        return "the disk of the database server is full. Free some space there."
    if "starting up" in reason or "shutting down" in reason:
        return "the server is starting or stopping. Try again in a moment."
    return (
        "no PostgreSQL answers there. Start it, or correct DATABASE_URL; with an empty "
        "DATABASE_URL, `tacho up` starts its own PostgreSQL."
    )

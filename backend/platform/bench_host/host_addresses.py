"""The addresses under which bench hosts on other machines reach PostgreSQL and Redis."""

from urllib.parse import quote, urlsplit

from sqlalchemy import URL, make_url

from backend.core.config import Settings
from backend.core.errors import Conflict
from backend.platform.network import is_loopback

_GUIDE = "docs/operator-guide/hosts.md describes how."
# `require` encrypts, but accepts any server that answers.
_VERIFIED = ("verify-ca", "verify-full")


def find_database(settings: Settings) -> URL:
    """Return the URL of PostgreSQL for bench hosts, without a user.

    Raises:
        Conflict: other machines cannot reach it, or only without TLS.
    """
    url = make_url(settings.public_database or settings.database_url)
    if not settings.public_database and not _is_reachable(url.host):
        raise Conflict(
            "Other machines cannot reach the database of this installation, because DATABASE_URL "
            "is a socket or a loopback address. Set TACHO_PUBLIC_DATABASE to the address under "
            f"which bench hosts reach it. {_GUIDE}"
        )
    query = dict(url.query)
    if not settings.public_database:
        # Other parameters, such as the path of a certificate, are those of this machine.
        query = {name: value for name, value in query.items() if name == "sslmode"}
    url = URL.create("postgresql", host=url.host, port=url.port, database=url.database, query=query)
    if settings.public_ca and "sslmode" not in url.query:
        url = url.update_query_dict({"sslmode": "verify-full"})
    if _is_reachable(url.host) and url.query.get("sslmode") not in _VERIFIED:
        _require_encryption(
            settings,
            "PostgreSQL",
            "TACHO_PUBLIC_CA to the certificate of its CA, and in the address of PostgreSQL no "
            "sslmode or sslmode=verify-full",
        )
    return url


def find_redis(settings: Settings) -> str:
    """Return the URL of Redis for bench hosts, without a user.

    Raises:
        Conflict: other machines cannot reach it, or only without TLS.
    """
    parts = urlsplit(settings.public_redis or settings.redis_url)
    if not settings.public_redis and (parts.scheme == "unix" or not _is_reachable(parts.hostname)):
        raise Conflict(
            "Other machines cannot reach the Redis of this installation, because REDIS_URL is a "
            "socket or a loopback address. Set TACHO_PUBLIC_REDIS to the address under which bench "
            f"hosts reach it. {_GUIDE}"
        )
    if _is_reachable(parts.hostname) and parts.scheme != "rediss":
        _require_encryption(settings, "Redis", "TACHO_PUBLIC_REDIS to a rediss:// address")
    query = parts.query if settings.public_redis else ""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query).geturl()


def check_addresses(settings: Settings) -> None:
    """Raise Conflict if other machines cannot reach PostgreSQL and Redis, or only without TLS."""
    find_database(settings)
    find_redis(settings)
    read_ca(settings)


def read_ca(settings: Settings) -> str | None:
    """Return the certificate of TACHO_PUBLIC_CA, in PEM; None if it is not set.

    Raises:
        Conflict: the file cannot be read.
    """
    if settings.public_ca is None:
        return None
    try:
        return settings.public_ca.read_text(encoding="ascii")
    except (OSError, UnicodeError) as error:
        raise Conflict(
            f"TACHO_PUBLIC_CA={settings.public_ca} cannot be read: {error}. Set it to the file of "
            "the CA certificate, in PEM."
        ) from error


def add_user(redis_url: str, user: str, password: str) -> str:
    """Return a URL of Redis with a user."""
    parts = urlsplit(redis_url)
    return parts._replace(
        netloc=f"{quote(user, safe='')}:{quote(password, safe='')}@{parts.netloc}"
    ).geturl()


def _require_encryption(settings: Settings, server: str, fix: str) -> None:
    if not settings.allow_unencrypted:
        raise Conflict(
            f"Bench hosts would reach {server} without TLS that checks the server, so others on "
            f"the network could read passwords and results. Set {fix}. {_GUIDE} If the network is "
            "private, set TACHO_ALLOW_UNENCRYPTED=true."
        )


def _is_reachable(host: str | None) -> bool:
    return host is not None and not host.startswith("/") and not is_loopback(host)

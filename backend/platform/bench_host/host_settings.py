"""The settings of a bench host that joined an installation, in `.env` and in the data folder."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import dotenv
from sqlalchemy import make_url

from backend.platform.errors import PlatformError

_KEYS = ("DATABASE_URL", "REDIS_URL", "TACHO_BENCH_HOST")


@dataclass(frozen=True, repr=False)
class HostSettings:
    """The settings with which the worker of a bench host reaches its installation.

    Attributes:
        bench_host: value of TACHO_BENCH_HOST.
        ca_certificate: in PEM; None if the servers need none.
    """

    bench_host: str
    database_url: str
    redis_url: str
    ca_certificate: str | None


def store(settings: HostSettings, env_file: Path, data: Path) -> HostSettings:
    """Write the settings, readable only for this user, and return them as they were written.

    The URLs name the stored CA certificate.

    Raises:
        PlatformError: a file cannot be written.
    """
    database_url, redis_url = settings.database_url, settings.redis_url
    try:
        data.mkdir(parents=True, exist_ok=True)
        if settings.ca_certificate is not None:
            path = _ca_path(data)
            path.write_text(settings.ca_certificate, encoding="ascii")
            database_url, redis_url = _trust(database_url, redis_url, path)
        env_file.touch(mode=0o600)
        env_file.chmod(0o600)
        for key, value in zip(_KEYS, (database_url, redis_url, settings.bench_host), strict=True):
            dotenv.set_key(env_file, key, value)
        env_file.chmod(0o600)
    except OSError as error:
        raise PlatformError(
            f"The settings cannot be written: {error}. Make {env_file} and {data} writable."
        ) from error
    return HostSettings(settings.bench_host, database_url, redis_url, settings.ca_certificate)


def remove(env_file: Path, data: Path) -> bool:
    """Remove the settings, and return whether there were any.

    Raises:
        PlatformError: a file cannot be changed.
    """
    try:
        _ca_path(data).unlink(missing_ok=True)
        found = dotenv.dotenv_values(env_file) if env_file.exists() else {}
        kept = [key for key in _KEYS if found.get(key)]
        for key in kept:
            dotenv.unset_key(env_file, key)
    except OSError as error:
        raise PlatformError(
            f"The settings cannot be removed: {error}. Make {env_file} and {data} writable."
        ) from error
    return bool(kept)


def _trust(database_url: str, redis_url: str, ca: Path) -> tuple[str, str]:
    """Return the URLs with the CA certificate, in the words of libpq and of redis-py."""
    database = make_url(database_url).update_query_dict({"sslrootcert": str(ca)})
    if urlsplit(redis_url).scheme == "rediss":
        joint = "&" if "?" in redis_url else "?"
        redis_url = f"{redis_url}{joint}ssl_cert_reqs=required&ssl_ca_certs={ca}"
    return database.render_as_string(hide_password=False), redis_url


def _ca_path(data: Path) -> Path:
    return data / "ca.crt"

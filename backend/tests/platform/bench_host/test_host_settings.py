"""The settings of a bench host that joined: their files, and their form for each client."""

import ssl
import stat
from pathlib import Path

import dotenv
from kombu import Connection
from redis import ConnectionPool
from sqlalchemy import make_url

from backend.platform.bench_host.host_settings import HostSettings, remove, store

GIVEN = HostSettings(
    bench_host="bench-02",
    database_url="postgresql://u:p@db:5432/tacho?sslmode=verify-full",
    redis_url="rediss://u:p@db:6380/0",
    ca_certificate="certificate",
)


def test_settings_name_the_stored_certificate_for_every_client(tmp_path: Path) -> None:
    data, ca = tmp_path / "data", tmp_path / "data" / "ca.crt"

    stored = store(GIVEN, tmp_path / ".env", data)

    assert ca.read_text() == "certificate"
    assert dict(make_url(stored.database_url).query) == {
        "sslmode": "verify-full",
        "sslrootcert": str(ca),
    }
    celery = Connection(stored.redis_url).ssl
    assert celery == {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_ca_certs": str(ca)}
    client = ConnectionPool.from_url(stored.redis_url).connection_kwargs
    assert (client["ssl_cert_reqs"], client["ssl_ca_certs"]) == ("required", str(ca))


def test_other_settings_stay_and_only_the_user_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("TACHO_RUNTIME=process\n")
    path.chmod(0o644)

    store(GIVEN, path, tmp_path / "data")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = dotenv.dotenv_values(path)
    assert (found["TACHO_RUNTIME"], found["TACHO_BENCH_HOST"]) == ("process", "bench-02")

    assert remove(path, tmp_path / "data")

    assert dict(dotenv.dotenv_values(path)) == {"TACHO_RUNTIME": "process"}
    assert not remove(path, tmp_path / "data")

"""The addresses under which bench hosts reach the servers, and the errors without any."""

from pathlib import Path

import pytest

from backend.core.config import Settings
from backend.core.errors import Conflict
from backend.platform.bench_host.host_addresses import add_user, find_database, find_redis, read_ca


def make(**values: object) -> Settings:
    return Settings.model_validate({"_env_file": None, **values})


def find(settings: Settings) -> str:
    return find_database(settings).render_as_string(hide_password=False)


def test_addresses_of_the_installation_are_used_without_its_user_and_its_files() -> None:
    settings = make(
        database_url="postgresql://tacho:secret@db:5432/t?sslmode=verify-full&sslrootcert=/ca.crt",
        redis_url="rediss://:secret@cache:6380/0?ssl_ca_certs=/ca.crt",
    )

    assert find(settings) == "postgresql://db:5432/t?sslmode=verify-full"
    assert find_redis(settings) == "rediss://cache:6380/0"


def test_public_addresses_win() -> None:
    settings = make(
        database_url="postgresql://tacho:secret@127.0.0.1/t",
        redis_url="unix:///run/redis.sock",
        public_database="postgresql://db.example.org/tacho?sslmode=verify-ca",
        public_redis="rediss://db.example.org:6380/0",
    )

    assert find(settings) == "postgresql://db.example.org/tacho?sslmode=verify-ca"
    assert find_redis(settings) == "rediss://db.example.org:6380/0"


def test_a_ca_of_the_installation_makes_hosts_check_the_server(tmp_path: Path) -> None:
    ca = tmp_path / "ca.crt"
    settings = make(public_database="postgresql://db/t", public_ca=str(ca))

    assert find(settings) == "postgresql://db/t?sslmode=verify-full"
    with pytest.raises(Conflict, match="TACHO_PUBLIC_CA"):
        read_ca(settings)
    ca.write_text("certificate", encoding="ascii")
    assert read_ca(settings) == "certificate"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://tacho@127.0.0.1/t",
        "postgresql://tacho@localhost/t",
        "postgresql://tacho@/t?host=/run/sockets",
    ],
)
def test_a_database_of_this_machine_only_is_refused(url: str) -> None:
    with pytest.raises(Conflict, match="TACHO_PUBLIC_DATABASE"):
        find_database(make(database_url=url))


@pytest.mark.parametrize("url", ["redis://127.0.0.1:6379/0", "unix:///run/redis.sock"])
def test_a_redis_of_this_machine_only_is_refused(url: str) -> None:
    with pytest.raises(Conflict, match="TACHO_PUBLIC_REDIS"):
        find_redis(make(redis_url=url))


@pytest.mark.parametrize(
    "sslmode", ["", *(f"?sslmode={mode}" for mode in ("disable", "prefer", "require"))]
)
def test_servers_without_tls_that_checks_them_are_refused_unless_allowed(sslmode: str) -> None:
    servers = {
        "public_database": f"postgresql://db.example.org/tacho{sslmode}",
        "public_redis": "redis://db.example.org:6379/0",
    }

    with pytest.raises(Conflict, match="PostgreSQL without TLS"):
        find_database(make(**servers))
    with pytest.raises(Conflict, match="Redis without TLS"):
        find_redis(make(**servers))
    allowed = make(**servers, allow_unencrypted=True)
    assert find(allowed) == servers["public_database"]
    assert find_redis(allowed) == servers["public_redis"]


def test_a_user_is_added_to_a_url_of_redis() -> None:
    url = add_user("rediss://db:6380/0?health_check_interval=5", "tacho_host_1", "a/b:c")

    assert url == "rediss://tacho_host_1:a%2Fb%3Ac@db:6380/0?health_check_interval=5"

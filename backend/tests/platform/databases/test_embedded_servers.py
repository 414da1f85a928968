"""The embedded PostgreSQL and Redis: access only for their user, and data after SIGKILL."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest
import redis

from backend.core.config import Settings
from backend.platform.databases.embedded_postgres import EmbeddedPostgres, as_unprivileged
from backend.platform.databases.embedded_redis import EmbeddedRedis
from backend.platform.layout import Layout
from backend.platform.processes.programs import RunningProgram, running
from backend.tests.waiting import LIMIT_S


def _dsn(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")


def test_postgres_listens_on_no_network_address(postgres_url: str, server_layout: Layout) -> None:
    pid = int((server_layout.database / "postmaster.pid").read_text().splitlines()[0])
    assert psutil.Process(pid).net_connections(kind="inet") == []
    assert psutil.Process(pid).uids().effective != 0 or os.geteuid() != 0
    assert Path(server_layout.socket_folder()).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can become another user.")
def test_postgres_refuses_other_users_of_the_machine(postgres_url: str) -> None:
    connect = f"import psycopg; psycopg.connect({_dsn(postgres_url)!r})"
    # This user may enter the folder of the socket, so that only the server can refuse it.
    attempt = subprocess.run(
        as_unprivileged(sys.executable, "-c", connect), capture_output=True, text=True, check=False
    )
    assert "Peer authentication failed" in attempt.stderr


def test_postgres_refuses_other_roles_without_a_password(postgres_url: str) -> None:
    with psycopg.connect(_dsn(postgres_url)) as connection:
        connection.execute("CREATE ROLE passer_by LOGIN")
    try:
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(_dsn(postgres_url).replace("tacho@", "passer_by@"))
    finally:
        with psycopg.connect(_dsn(postgres_url)) as connection:
            connection.execute("DROP ROLE passer_by")


@pytest.mark.parametrize("role", ["tacho_owner", "tacho_api", "tacho_dispatcher"])
def test_parts_sign_in_without_a_password_and_without_superuser_rights(
    postgres_url: str, role: str
) -> None:
    with psycopg.connect(_dsn(postgres_url).replace("tacho@", f"{role}@")) as connection:
        row = connection.execute("SELECT current_user, current_setting('is_superuser')").fetchone()
    assert row == (role, "off")


def test_a_cluster_that_accepted_everybody_is_closed(layout: Layout) -> None:
    postgres = EmbeddedPostgres(layout)
    postgres.prepare()
    rules = layout.database / "pg_hba.conf"
    rules.write_text("local all all trust\n")
    postgres.prepare()
    assert "trust" not in rules.read_text()


def test_redis_needs_its_password(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as client:
        assert client.ping()
    without_password = "redis://" + redis_url.partition("@")[2]
    with (
        redis.Redis.from_url(without_password) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def test_a_restarted_redis_has_the_users_of_the_parts(layout: Layout) -> None:
    broker = EmbeddedRedis.choose(layout)
    broker.prepare()
    queue = 'a "rack" \\ [1]*'
    broker.keep_bench_host("tacho_host_5f2c", "secret", queue)
    with running(broker.part(), layout):
        for part in ("api", "dispatcher"):
            with redis.Redis.from_url(broker.part_url(part)) as client:
                client.lpush(f"host.{queue}", "work")
                with pytest.raises(redis.exceptions.NoPermissionError):
                    client.flushall()
        worker = broker.part_url("api").replace("tacho_api:", "tacho_host_5f2c:")
        worker = worker.replace(broker.part_passwords["api"], "secret")
        with redis.Redis.from_url(worker) as client:
            assert client.rpop(f"host.{queue}") == b"work"
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.rpop("host.other")
            assert client.lpush("requests", "finalize")


def test_a_killed_postgres_keeps_its_data(layout: Layout) -> None:
    postgres = EmbeddedPostgres(layout)
    postgres.prepare()
    program = RunningProgram(postgres.part(), layout)
    program.wait_ready()
    postgres.create_database()
    with psycopg.connect(_dsn(postgres.url)) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    psutil.Process(program.pid).kill()
    program.finish(time.monotonic() + LIMIT_S)
    assert (layout.database / "postmaster.pid").exists()

    postgres.prepare()
    again = RunningProgram(postgres.part(), layout)
    try:
        again.wait_ready()
        with psycopg.connect(_dsn(postgres.url)) as connection:
            row = connection.execute("SELECT answer FROM kept").fetchone()
    finally:
        again.ask_to_stop()
        again.finish(time.monotonic() + LIMIT_S)
    assert row == (42,)
    assert again.exit_code() == 0


def test_socket_paths_stay_short(tmp_path: Path) -> None:
    layout = Layout(tmp_path / ("long" * 40))
    assert len(str(layout.socket_folder() / ".s.PGSQL.5432")) < 104


def test_redis_configuration_is_private(layout: Layout) -> None:
    broker = EmbeddedRedis.choose(layout)
    broker.prepare()
    assert (layout.broker / "redis.conf").stat().st_mode & 0o077 == 0


def test_redis_leaves_the_ports_of_other_parts_free(tmp_path: Path) -> None:
    random.seed(1)
    first = EmbeddedRedis.choose(Layout(tmp_path)).port
    random.seed(1)
    settings = Settings(port=first, dispatcher_metrics="127.0.0.1:9465")
    assert settings.chosen_ports == {first, 9465}
    assert EmbeddedRedis.choose(Layout(tmp_path), settings.chosen_ports).port != first

"""Each fault that keeps Tacho from starting names the variable and the fix, without a traceback."""

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from backend.core.queue import open_redis
from backend.platform.network import find_free_port
from backend.tests.commands import LIMIT_S, make_environment, run_tacho

NO_SERVER = "postgresql://tacho:secret-word@127.0.0.1:1/tacho"
PARTS = ("up", "api", "worker", "dispatcher")


def run(command: str, variables: Mapping[str, str], tmp_path: Path) -> str:
    """Return the output of a failing command. Fail the test if the command succeeds or prints a
    traceback."""
    port = {"TACHO_PORT": str(find_free_port())}
    given = make_environment(tmp_path, **port | dict(variables))
    code, printed = run_tacho(given, command, folder=tmp_path)
    assert code not in {0, -9}, printed
    assert "secret-word" not in printed
    assert "error: " in printed
    return printed


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("DATABASE_URL", "mysql://root@127.0.0.1/tacho", "begins with mysql://"),
        ("DATABASE_URL", "postgresql://host:port/tacho", "host or port is wrong"),
        ("DATABASE_URL", NO_SERVER, "no PostgreSQL answers"),
        ("REDIS_URL", "http://127.0.0.1:1/0", "begins with http://"),
        ("TACHO_PORT", "eighty", "must be a whole number"),
    ],
)
def test_a_wrong_variable(variable: str, value: str, words: str, tmp_path: Path) -> None:
    servers = {"DATABASE_URL": NO_SERVER, "REDIS_URL": "redis://127.0.0.1:1/0"}
    printed = run("up", servers | {variable: value}, tmp_path)
    assert variable in printed
    assert words in printed


@pytest.mark.parametrize("command", [*PARTS, "migrate", "build", "doctor", "demo"])
def test_every_command_names_a_wrong_variable(command: str, tmp_path: Path) -> None:
    assert "DATABASE_URL must be a URL" in run(command, {"DATABASE_URL": "foo"}, tmp_path)


@pytest.mark.parametrize("command", PARTS)
def test_a_redis_that_does_not_answer(command: str, postgres_url: str, tmp_path: Path) -> None:
    servers = {"DATABASE_URL": postgres_url, "REDIS_URL": "redis://127.0.0.1:1/0"}
    printed = run(command, servers, tmp_path)
    assert "REDIS_URL: no Redis answers at 127.0.0.1:1" in printed


def test_a_redis_that_never_answers(postgres_url: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        printed = run("api", {"DATABASE_URL": postgres_url, "REDIS_URL": url}, tmp_path)
    assert "REDIS_URL: no Redis answers" in printed


def test_a_wrong_redis_password(postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    wrong = f"redis://:secret-word@127.0.0.1:{urlsplit(redis_url).port}/0"
    printed = run("up", {"DATABASE_URL": postgres_url, "REDIS_URL": wrong}, tmp_path)
    assert "REDIS_URL: Redis at 127.0.0.1" in printed
    assert "refuses the password" in printed


def test_a_user_who_may_not_list_clients_is_refused(
    postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    rules = ("on", ">secret-word", "~*", "&*", "+@all", "-@admin", "-@dangerous")
    with open_redis(redis_url) as client:
        client.execute_command("ACL", "SETUSER", "limited", *rules)
        address = redis_url.removeprefix("redis://").rpartition("@")[2]
        limited = f"redis://limited:secret-word@{address}"
        try:
            printed = run("up", {"DATABASE_URL": postgres_url, "REDIS_URL": limited}, tmp_path)
        finally:
            client.execute_command("ACL", "DELUSER", "limited")

    assert "REDIS_URL: its user may not run CLIENT LIST," in printed


@pytest.mark.parametrize("command", ["api", "migrate"])
def test_a_database_that_does_not_exist(
    command: str, postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    base, _, query = postgres_url.partition("?")
    wrong = f"{base.rpartition('/')[0]}/missing?{query}"
    printed = run(command, {"DATABASE_URL": wrong, "REDIS_URL": redis_url}, tmp_path)
    assert "DATABASE_URL" in printed
    assert "no such database" in printed


def test_a_user_that_does_not_exist(postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    wrong = postgres_url.replace("//tacho@", "//nobody-here@")
    printed = run("migrate", {"DATABASE_URL": wrong, "REDIS_URL": redis_url}, tmp_path)
    # PostgreSQL does not reveal to others which users exist.
    assert "refuses this user or password" in printed


@pytest.fixture
def locked_url(postgres_url: str) -> Iterator[str]:
    """Return a URL with the wrong password of a user."""
    server = make_url(postgres_url).set(drivername="postgresql")
    role = sql.Identifier("locked")
    with psycopg.connect(server.render_as_string(False), autocommit=True) as connection:
        row = connection.execute("SHOW hba_file").fetchone()
        assert row is not None
        rules = Path(row[0])
        before = rules.read_text()
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(role))
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'right'").format(role))
        rules.write_text(f"local all locked scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        url = server.set(username="locked", password="secret-word").render_as_string(False)
        deadline = time.monotonic() + LIMIT_S
        while connects(url):
            assert time.monotonic() < deadline, "the server does not ask for a password"
            time.sleep(0.01)
        yield url
        rules.write_text(before)
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(sql.SQL("DROP ROLE {}").format(role))


def connects(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.mark.parametrize("command", ["up", "migrate"])
def test_a_wrong_password(command: str, locked_url: str, redis_url: str, tmp_path: Path) -> None:
    printed = run(command, {"DATABASE_URL": locked_url, "REDIS_URL": redis_url}, tmp_path)
    assert "Correct them in DATABASE_URL" in printed


@pytest.mark.parametrize(
    ("command", "name"), [("up", "file"), ("build", "file/below"), ("worker", "file")]
)
def test_a_data_folder_that_is_a_file(
    command: str, name: str, postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    variables = {"DATABASE_URL": postgres_url, "REDIS_URL": redis_url}
    printed = run(command, variables | {"TACHO_DATA": str(tmp_path / name)}, tmp_path)
    assert f"TACHO_DATA={tmp_path / name} is a file" in printed


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        ("up", "nowhere", "does not exist"),
        ("migrate", "", "has no folder frameworks"),
        ("worker", "nowhere", "does not exist"),
    ],
)
def test_a_missing_catalogue(
    command: str, name: str, words: str, postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    servers = {"DATABASE_URL": postgres_url, "REDIS_URL": redis_url}
    printed = run(command, servers | {"TACHO_SERVICES_DIR": str(tmp_path / name)}, tmp_path)
    assert "TACHO_SERVICES_DIR=" in printed
    assert words in printed


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Path]:
    """An empty folder; a test may mount a small or read-only file system on it."""
    folder = tmp_path / "mount"
    folder.mkdir()
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


def mount_or_skip(folder: Path, options: str) -> None:
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"mounting needs root: {done.stderr.strip()}")


def test_a_data_folder_on_a_read_only_file_system(mount: Path, tmp_path: Path) -> None:
    mount_or_skip(mount, "size=1m,ro")
    printed = run("up", {"TACHO_DATA": str(mount / "data")}, tmp_path)
    assert f"TACHO_DATA={mount / 'data'} is on a read-only file system" in printed


def test_a_disk_that_is_full_from_the_start(mount: Path, tmp_path: Path) -> None:
    mount_or_skip(mount, "size=1m,nr_inodes=2")
    printed = run("build", {"TACHO_DATA": str(mount / "data")}, tmp_path)
    assert f"TACHO_DATA={mount / 'data'}" in printed
    assert "full disk" in printed

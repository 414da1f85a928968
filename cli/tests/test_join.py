"""`make join` on a new machine and `tacho host`, as processes against a real server."""

import os
import stat
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import dotenv
import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import delete, select

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import Host, Run, Trial, Workspace
from backend.core.statuses import HostStatus
from backend.tests.commands import call_tacho, make_environment
from backend.tests.factories import add_host, ask_run, claim_next

TOKEN = "token-of-a-test"
NEW = "bench-02"


@pytest.fixture
def operator(
    live_url: str, database: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Mapping[str, str]:
    """The environment of a shell of an operator. Other machines reach the servers of the test."""
    settings = get_settings()
    monkeypatch.setattr(settings, "token", SecretStr(TOKEN))
    monkeypatch.setattr(settings, "public_database", settings.database_url)
    monkeypatch.setattr(settings, "public_redis", settings.redis_url)
    with unit_of_work() as session:
        add_host(session)
    return make_shell(tmp_path, TACHO_TOKEN=TOKEN, TACHO_URL=live_url)


@pytest.fixture
def machine(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a shell on the new machine."""
    return make_shell(tmp_path, TACHO_RUNTIME="process")


def make_shell(folder: Path, **variables: str) -> Mapping[str, str]:
    return make_environment(folder, XDG_CONFIG_HOME=str(folder / "config"), **variables)


def run(
    variables: Mapping[str, str], folder: Path, *words: str, code: int = 0
) -> subprocess.CompletedProcess[str]:
    done = call_tacho(variables, *words, folder=folder)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def create_key(operator: Mapping[str, str], folder: Path, name: str = NEW) -> str:
    printed = run(operator, folder, "host", "create", name).stdout
    assert f"make join URL={operator['TACHO_URL']} KEY=" in printed
    return printed.partition("KEY=")[2].split()[0]


@pytest.mark.acceptance
def test_a_machine_joins_and_leaves(
    operator: Mapping[str, str], machine: Mapping[str, str], tmp_path: Path
) -> None:
    key, url = create_key(operator, tmp_path), operator["TACHO_URL"]

    joined = run(machine, tmp_path, "join", url, "--key", key, "--no-systemd")

    assert "It reaches PostgreSQL and Redis." in joined.stdout
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    settings = dotenv.dotenv_values(tmp_path / ".env")
    assert settings["TACHO_BENCH_HOST"] == NEW
    assert settings["DATABASE_URL"] is not None
    with psycopg.connect(settings["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT name FROM host").fetchall() == [(NEW,)]
    with unit_of_work() as session:
        host = session.scalars(select(Host).where(Host.name == NEW)).one()
        assert host.fingerprint["logical_cores"] == os.cpu_count()
    again = run(machine, tmp_path, "join", url, "--key", key, code=2)
    assert "This clone has settings of an installation" in again.stderr

    left = run(machine, tmp_path, "leave")

    assert f"no longer the bench host {NEW}" in left.stdout
    assert not dotenv.dotenv_values(tmp_path / ".env")


def test_a_wrong_key_is_refused_and_changes_nothing(
    operator: Mapping[str, str], machine: Mapping[str, str], tmp_path: Path
) -> None:
    given = {**machine, "TACHO_DATA": str(get_settings().data)}
    refused = run(given, tmp_path, "join", operator["TACHO_URL"], "--key", "wrong", code=2)

    assert "This key does not work" in refused.stderr
    assert not (tmp_path / ".env").exists()


def test_an_address_without_tls_is_refused_unless_allowed(
    operator: Mapping[str, str], machine: Mapping[str, str], tmp_path: Path
) -> None:
    given = {**machine, "TACHO_DATA": str(get_settings().data)}
    # Another name of this machine, which Tacho does not take for a loopback address.
    url = operator["TACHO_URL"].replace("127.0.0.1", "127.1")

    refused = run(given, tmp_path, "join", url, "--key", "wrong", code=2)

    assert f"{url} is not encrypted" in refused.stderr
    assert "This key does not work" not in refused.stderr
    allowed = {**given, "TACHO_ALLOW_UNENCRYPTED": "true"}
    joined = run(allowed, tmp_path, "join", url, "--key", "wrong", code=2)
    assert "This key does not work" in joined.stderr
    assert not (tmp_path / ".env").exists()


def test_a_clone_with_an_installation_of_its_own_does_not_join(
    machine: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "data" / "postgres").mkdir(parents=True)

    refused = run(machine, tmp_path, "join", "http://127.0.0.1:9", "--key", "k", code=2)

    assert "holds an installation of its own" in refused.stderr


def test_a_host_is_reserved_from_a_shell(operator: Mapping[str, str], tmp_path: Path) -> None:
    with unit_of_work() as session:
        slug = session.scalars(select(Workspace.slug)).one()

    reserved = run(operator, tmp_path, "host", "reserve", "bench-01", "--workspace", slug)

    def read() -> list[str] | None:
        with unit_of_work() as session:
            return session.scalars(select(Host.reserved_for).where(Host.name == "bench-01")).one()

    assert f"bench-01 is open to only {slug}." in reserved.stdout
    assert read() == [slug]
    unknown = run(operator, tmp_path, "host", "reserve", "bench-01", "--workspace", "no", code=2)
    assert "'no'" in unknown.stderr
    neither = run(operator, tmp_path, "host", "reserve", "bench-01", code=2)
    assert "--for-all" in neither.stderr
    assert read() == [slug]
    run(operator, tmp_path, "host", "reserve", "bench-01", "--for-all")
    assert read() is None


def test_operators_manage_hosts_from_a_shell(operator: Mapping[str, str], tmp_path: Path) -> None:
    create_key(operator, tmp_path)
    run(operator, tmp_path, "host", "pause", "bench-01")

    listed = run(operator, tmp_path, "host", "list").stdout

    rows = {line.split()[1]: line for line in listed.splitlines() if "bench-" in line}
    assert "paused" in rows["bench-01"]
    assert "invited" in rows[NEW]
    run(operator, tmp_path, "host", "resume", "bench-01")
    run(operator, tmp_path, "host", "withdraw", NEW)
    assert NEW not in run(operator, tmp_path, "host", "list").stdout
    for action in ("revoke", "leave"):
        refused = run(operator, tmp_path, "host", action, "bench-01", code=2)
        assert "Pause the host" in refused.stderr


def test_a_host_leaves_from_a_shell(operator: Mapping[str, str], tmp_path: Path) -> None:
    with unit_of_work() as session:
        host = add_host(session)
        host.joined_at = datetime.now(UTC)
        ask_run(session)
        claim_next(session, host.id)

    leaving = run(operator, tmp_path, "host", "leave", "bench-01").stdout

    assert leaving == "bench-01 leaves when its current trial has ended.\n"
    listed = run(operator, tmp_path, "host", "list").stdout
    [row] = [line for line in listed.splitlines() if "bench-01" in line]
    assert row.split()[3] == "leaving"
    run(operator, tmp_path, "host", "resume", "bench-01")
    with unit_of_work() as session:
        assert session.scalars(select(Host)).one().status is HostStatus.READY
        session.execute(delete(Trial))
        session.execute(delete(Run))
    left = run(operator, tmp_path, "host", "leave", "bench-01").stdout
    assert left == "bench-01 has left: its credentials do not work any more.\n"

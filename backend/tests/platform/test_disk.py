"""The detection and the explanation of full disks."""

from pathlib import Path

import pytest

from backend.platform.databases.embedded_postgres import EmbeddedPostgres
from backend.platform.disk import explain_full_disk, is_disk_full, mentions_full_disk
from backend.platform.errors import PlatformError
from backend.platform.layout import Layout
from backend.tests.disks import fill, small_disk


@pytest.mark.parametrize(
    "log",
    [
        "initdb: error: could not write: No space left on device",
        "link: write /data/k6: no space left on device",
        "npm error code ENOSPC",
    ],
)
def test_programs_mention_a_full_disk(log: str) -> None:
    assert mentions_full_disk(log)


def test_other_output_mentions_no_full_disk() -> None:
    assert not mentions_full_disk("npm error code E404")


def test_a_full_disk_is_found(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64m") as disk:
        assert not is_disk_full(disk)
        fill(disk)
        assert is_disk_full(disk / "not" / "made" / "yet")
        assert "(0 MiB free)" in explain_full_disk(disk)


def test_postgresql_on_a_disk_that_is_too_small(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "24m") as disk:
        layout = Layout(disk / "data")
        layout.make()
        with pytest.raises(PlatformError) as caught:
            EmbeddedPostgres(layout).prepare()
    assert f"the disk of TACHO_DATA={layout.data} is full" in caught.value.detail
    assert "initdb" not in caught.value.detail
    assert "\n" not in caught.value.detail

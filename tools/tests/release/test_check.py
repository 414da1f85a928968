"""Builds that differ are found, and the differing files are named."""

import zipfile
from pathlib import Path

from tools.release.check import compare


def write_wheel(folder: Path, content: str, day: int) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "tacho-1-py3-none-any.whl", "w") as archive:
        archive.writestr(zipfile.ZipInfo("same.py", (2026, 11, 25, 0, 0, 0)), "same")
        archive.writestr(zipfile.ZipInfo("changing.py", (2026, 11, day, 0, 0, 0)), content)


def test_equal_builds_are_identical(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_wheel(tmp_path / name, "text", 25)

    (line,) = compare(tmp_path / "one", tmp_path / "two")

    assert line.startswith("tacho-1-py3-none-any.whl: ")
    assert line.endswith("identical")


def test_another_content_or_time_is_a_difference(tmp_path: Path) -> None:
    write_wheel(tmp_path / "one", "text", 25)
    write_wheel(tmp_path / "two", "edit", 25)
    write_wheel(tmp_path / "three", "text", 26)

    expected = ["tacho-1-py3-none-any.whl: DIFFERENT changing.py"]
    assert compare(tmp_path / "one", tmp_path / "two") == expected
    assert compare(tmp_path / "one", tmp_path / "three") == expected


def test_a_missing_file_is_a_difference(tmp_path: Path) -> None:
    write_wheel(tmp_path / "one", "text", 25)
    (tmp_path / "two").mkdir()

    assert compare(tmp_path / "one", tmp_path / "two") == [
        "tacho-1-py3-none-any.whl: in one build only"
    ]

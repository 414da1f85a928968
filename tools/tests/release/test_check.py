"""Builds that differ are found, and the differing files are named."""

import zipfile
from pathlib import Path

from tools.release.check import compare


def write_wheel(folder: Path, content: str, day: int) -> None:
    folder.mkdir()
    with zipfile.ZipFile(folder / "tacho-1-py3-none-any.whl", "w") as archive:
        archive.writestr(zipfile.ZipInfo("same.py", (2026, 11, 25, 0, 0, 0)), "same")
        archive.writestr(zipfile.ZipInfo("changing.py", (2026, 11, day, 0, 0, 0)), content)


def test_another_content_another_time_or_a_missing_file_is_a_difference(tmp_path: Path) -> None:
    write_wheel(tmp_path / "one", "text", 25)
    write_wheel(tmp_path / "equal", "text", 25)
    write_wheel(tmp_path / "edited", "edit", 25)
    write_wheel(tmp_path / "later", "text", 26)
    (tmp_path / "empty").mkdir()

    def find_difference(other: str) -> str:
        (line,) = compare(tmp_path / "one", tmp_path / other)
        return line.removeprefix("tacho-1-py3-none-any.whl: ")

    assert find_difference("equal").endswith("identical")
    assert find_difference("edited") == "DIFFERENT changing.py"
    assert find_difference("later") == "DIFFERENT changing.py"
    assert find_difference("empty") == "in one build only"

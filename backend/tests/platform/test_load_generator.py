"""The progress of the load generator's build, from its file to a sentence."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from backend.platform.load_generator import (
    LoadGeneratorBuild,
    LoadGeneratorBuildFile,
    read_load_generator_build,
)

START = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("share", "elapsed_s", "remaining_s"),
    [(0.0, 10, None), (0.04, 10, None), (0.25, 20, 60), (0.5, 20, 20), (1.0, 20, 0), (1.2, 20, 0)],
)
def test_remaining_seconds(share: float, elapsed_s: int, remaining_s: int | None) -> None:
    build = LoadGeneratorBuild(started_at=START, share=share)
    assert build.find_remaining_seconds(START + timedelta(seconds=elapsed_s)) == remaining_s


def test_a_file_exists_only_during_the_build(tmp_path: Path) -> None:
    path = tmp_path / "run" / "load-generator.build"
    assert read_load_generator_build(path) is None
    file = LoadGeneratorBuildFile(path)
    file.write(0.5)
    read = read_load_generator_build(path)
    assert read is not None
    assert read.share == 0.5
    file.remove()
    assert read_load_generator_build(path) is None


def test_a_damaged_file_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "load-generator.build"
    path.write_text("{")
    assert read_load_generator_build(path) is None

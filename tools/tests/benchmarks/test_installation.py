"""Benchmarks of pages find an installation of the right size, or seed one."""

import argparse
from pathlib import Path

import pytest

from backend.core.config import get_settings
from tools.benchmarks import installation
from tools.benchmarks.installation import (
    DEFAULT_RUNS,
    SeededInstallation,
    add_runs_option,
    ensure_installation,
)


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[SeededInstallation]:
    """The sizes that would have been seeded. The seeding itself is replaced."""
    monkeypatch.setenv("TACHO_DATA", str(tmp_path))
    get_settings.cache_clear()
    asked: list[SeededInstallation] = []
    monkeypatch.setattr(installation, "_seed", asked.append)
    return asked


def put_installation(data: Path, runs: int) -> SeededInstallation:
    folder = data / "scale" / str(runs)
    folder.mkdir(parents=True)
    (folder / "installation.json").touch()
    return SeededInstallation(folder, runs)


def test_the_default_size_is_seeded_if_there_is_no_installation(
    seeded: list[SeededInstallation], tmp_path: Path
) -> None:
    # An interrupted seeding leaves a folder without a stamp.
    (tmp_path / "scale" / str(DEFAULT_RUNS)).mkdir(parents=True)

    found = ensure_installation()

    assert (found.runs, seeded) == (DEFAULT_RUNS, [found])


def test_the_largest_installation_is_used_unless_a_size_is_given(
    seeded: list[SeededInstallation], tmp_path: Path
) -> None:
    small, large = put_installation(tmp_path, 200), put_installation(tmp_path, 5000)

    assert ensure_installation() == large
    assert ensure_installation(200) == small
    assert seeded == []
    assert ensure_installation(300).runs == 300
    assert [item.runs for item in seeded] == [300]


def test_an_installation_has_at_least_the_runs_that_its_pages_need(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = argparse.ArgumentParser()
    add_runs_option(parser)

    with pytest.raises(SystemExit):
        parser.parse_args(["--runs", "10"])

    assert "at least 50" in capsys.readouterr().err

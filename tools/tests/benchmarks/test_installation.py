"""Benchmarks of pages find an installation of the right size, or seed one."""

import argparse
from pathlib import Path

import pytest

from backend.core.config import get_settings
from tools.benchmarks import installation
from tools.benchmarks.installation import add_runs_option, ensure_installation


def test_an_installation_is_seeded_unless_it_is_complete(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TACHO_DATA", str(tmp_path))
    get_settings.cache_clear()
    complete, interrupted = tmp_path / "scale" / "200", tmp_path / "scale" / "1000"
    for folder in (complete, interrupted):
        folder.mkdir(parents=True)
    (complete / "installation.json").touch()
    opened: list[Path] = []

    def fail(folder: Path) -> None:
        opened.append(folder)
        raise InterruptedError

    monkeypatch.setattr(installation, "open_installation", fail)

    assert ensure_installation(200) == complete
    assert opened == []
    with pytest.raises(InterruptedError):
        ensure_installation(1000)
    assert opened == [interrupted]


def test_an_installation_has_at_least_the_runs_that_its_pages_need(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = argparse.ArgumentParser()
    add_runs_option(parser)

    with pytest.raises(SystemExit):
        parser.parse_args(["--runs", "10"])

    assert "at least 50" in capsys.readouterr().err

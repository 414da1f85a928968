"""Runs the command on real services without Docker: it passes, or fails with evidence."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.core.config import ROOT, get_settings
from worker.verify.__main__ import app


@pytest.fixture(scope="module")
def folders(k6: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a data folder with the load generator, and a catalogue with a cheat."""
    data = tmp_path_factory.mktemp("data")
    (data / "k6").symlink_to(k6.parent.parent)
    services = tmp_path_factory.mktemp("catalogue") / "services"
    for part in ("scenarios", "backing", "bases", "reference", "frameworks/javascript/node"):
        shutil.copytree(ROOT / "services" / part, services / part)
    cheat = ROOT / "worker/tests/fixtures/cheating/no-objects"
    shutil.copytree(cheat, services / "frameworks/cheating/no-objects")
    return data, services


def verify(folders: tuple[Path, Path], *arguments: str) -> subprocess.CompletedProcess[str]:
    data, services = folders
    return subprocess.run(
        [sys.executable, "-m", "worker.verify", "--runtime", "process", *arguments],
        cwd=ROOT,
        env=os.environ | {"TACHO_DATA": str(data), "TACHO_SERVICES_DIR": str(services)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.acceptance
def test_an_honest_service_passes_and_is_skipped_until_it_changes(
    folders: tuple[Path, Path],
) -> None:
    first = verify(folders, "node", "--scenario", "articles")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "passed node × articles" in first.stdout
    assert "1 passed, 0 passed before, 0 failed" in first.stdout

    again = verify(folders, "node", "--scenario", "articles", "--resume")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "0 passed, 1 passed before, 0 failed" in again.stdout

    script = folders[1] / "frameworks/javascript/node/articles.js"
    honest = script.read_text()
    script.write_text(honest.replace('"Writes articles"', '"Writes too much"'))
    changed = verify(folders, "node", "--scenario", "articles", "--resume")
    script.write_text(honest)
    assert changed.returncode == 1, changed.stdout + changed.stderr
    assert "GET of a long list answers the right list" in changed.stdout
    assert json.loads((folders[0] / "verified.json").read_text()) == {}


@pytest.mark.acceptance
def test_a_cheat_fails_with_evidence_next_to_an_honest_service(folders: tuple[Path, Path]) -> None:
    done = verify(folders, "node", "no-objects", "--scenario", "articles", "--at-once", "2")

    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 at once" in done.stdout
    assert "FAILED no-objects × articles" in done.stdout
    assert "POST /articles refuses what is not a list of articles" in done.stdout
    assert "expected  4xx" in done.stdout
    assert "passed node × articles" in done.stdout
    assert "1 passed, 0 passed before, 1 failed" in done.stdout
    assert list(json.loads((folders[0] / "verified.json").read_text())) == ["process/node/articles"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody",), "There is no framework 'nobody'"),
        (("node", "--scenario", "nothing"), "There is no scenario 'nothing'"),
        (("node", "--scenario", "hello", "--profile", "none"), "has no profile 'none'"),
    ],
)
def test_an_unknown_slug_is_named(
    folders: tuple[Path, Path], arguments: tuple[str, ...], said: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACHO_DATA", str(folders[0]))
        get_settings.cache_clear()
        done = CliRunner().invoke(app, ["--runtime", "process", *arguments])
    get_settings.cache_clear()

    assert done.exit_code == 2, done.output
    assert said in done.stderr

"""The commit of the code is known in a clone and in what `git archive` writes."""

import subprocess
import tarfile
from pathlib import Path

import pytest

from backend import version
from backend.core.config import ROOT
from backend.version import find_commit


def git(*words: str) -> str:
    done = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_clone_has_a_commit() -> None:
    commit = find_commit()

    assert commit is not None
    assert commit.removesuffix("-dirty") == git("rev-parse", "HEAD")


def test_an_archive_has_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "source.tar"
    attributes = ("--worktree-attributes", f"--output={packed}", "HEAD")
    git("archive", *attributes, "backend/commit.txt")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.setattr(version, "_COMMIT_FILE", tmp_path / "backend" / "commit.txt")
    monkeypatch.setattr(version, "_PACKAGE", tmp_path / "backend")

    assert find_commit() == git("rev-parse", "HEAD")


def test_code_without_a_clone_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version, "_COMMIT_FILE", tmp_path / "backend" / "commit.txt")
    monkeypatch.setattr(version, "_PACKAGE", tmp_path / "backend")

    assert find_commit() is None

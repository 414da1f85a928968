"""Test the check of commit subjects on a temporary repository."""

import subprocess
from pathlib import Path

import pytest

from tools.prose.commits import find_faults, list_subjects, main


@pytest.mark.parametrize(
    "subject",
    [
        "Exclude results whose upstream was not called",
        "Add " + "x" * 68,
        "Pause, resume and rename bench hosts",
    ],
)
def test_an_imperative_subject_of_72_characters_passes(subject: str) -> None:
    assert find_faults(subject) == []


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Add " + "x" * 69, "73 characters"),
        ("Leaderboards of a scenario", "imperative"),
        ("Added a page", "imperative"),
        ("add a page", "imperative"),
        ("", "imperative"),
        ("Add a page.", "full stop"),
        ("Add a page; fix a test", "list"),
    ],
)
def test_another_subject_is_refused(subject: str, fault: str) -> None:
    assert any(fault in found for found in find_faults(subject))


def commit(repository: Path, subject: str) -> str:
    """Commit nothing with a subject and return the hash."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(
        [*git, "commit", "-q", "--allow-empty", "-m", subject], cwd=repository, check=True
    )
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True
    )
    return head.stdout.strip()


def test_only_commits_after_the_base_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    base = commit(tmp_path, "An old subject")
    commit(tmp_path, "Add a page")
    assert [subject for _, subject in list_subjects(tmp_path, base)] == ["Add a page"]
    assert main(tmp_path, base) == 0
    commit(tmp_path, "Pages of a run")
    assert main(tmp_path, base) == 1
    assert "'Pages of a run' does not begin with an imperative verb" in capsys.readouterr().out


def test_a_shallow_clone_fails_with_the_fix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    commit(tmp_path, "Add a page")
    assert main(tmp_path, "0123456789ab") == 2
    assert "git fetch --unshallow" in capsys.readouterr().out

"""A release is built from a clean commit whose version is in the changelog."""

import subprocess
import tarfile
from pathlib import Path

import pytest

from tools.release.source import (
    ReleaseError,
    check_releasable,
    export,
    has_entry,
    read_source,
    write_archive,
)

CHANGELOG = "# Changelog\n\n## Unreleased\n\n- Next.\n\n## 1.2.0 – 2026-11-25\n\n- First.\n"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with a version that its changelog lists."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "tacho"\nversion = "1.2.0"\n')
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "program").chmod(0o755)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Change files")


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.2.0", True), ("1.2", False), ("1.2.0-rc1", False), ("1x2.0", False), ("Next", False)],
)
def test_an_entry_of_the_changelog_is_a_heading(version: str, expected: bool) -> None:
    assert has_entry(CHANGELOG, version) is expected


@pytest.mark.parametrize("name", ["program", "unknown"])
def test_only_a_clean_commit_is_releasable(repository: Path, name: str) -> None:
    source = read_source(repository)
    check_releasable(source)
    assert source.name == "tacho-1.2.0"

    (repository / name).write_text("changed or new")

    with pytest.raises(ReleaseError, match=name):
        check_releasable(source)


def test_a_version_without_an_entry_is_refused(repository: Path) -> None:
    (repository / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n")
    commit(repository)

    with pytest.raises(ReleaseError, match=r"CHANGELOG.md has no entry for 1\.2\.0"):
        check_releasable(read_source(repository))


def test_the_archive_and_the_tree_have_the_files_of_the_commit(
    repository: Path, tmp_path: Path
) -> None:
    source = read_source(repository)
    (repository / "program").write_text("not committed")

    path = write_archive(source, tmp_path)
    tree = export(source, tmp_path)

    with tarfile.open(path) as archive:
        members = {member.name: member for member in archive}
        program = archive.extractfile("tacho-1.2.0/program")
        assert program is not None
        assert program.read() == b"#!/bin/sh\n"
    assert {member.mtime for member in members.values()} == {source.epoch}
    assert members["tacho-1.2.0/program"].mode == 0o755
    assert members["tacho-1.2.0/CHANGELOG.md"].mode == 0o644
    assert tree.name == "tacho-1.2.0"
    assert (tree / "program").read_text() == "#!/bin/sh\n"
    assert (tree / "program").stat().st_mode & 0o777 == 0o755
    assert (tree / "CHANGELOG.md").stat().st_mode & 0o777 == 0o644

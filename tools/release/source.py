"""The commit that a release is built from, its archive, and its files."""

import re
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class ReleaseError(Exception):
    """A release cannot be built. The message contains the fix."""


@dataclass(frozen=True)
class ReleaseSource:
    """A commit of a repository.

    Attributes:
        repository: its folder.
        commit: full hash.
        epoch: time of the commit, in seconds since 1970. The files of a release have this time.
        version: `version` in pyproject.toml.
    """

    repository: Path
    commit: str
    epoch: int
    version: str

    @property
    def name(self) -> str:
        """Return how the files of this version begin."""
        return f"tacho-{self.version}"


def read_source(repository: Path) -> ReleaseSource:
    """Return the newest commit of the branch that is checked out."""
    commit, epoch = run(repository, "git", "log", "-1", "--format=%H %ct").split()
    project = tomllib.loads(run(repository, "git", "show", f"{commit}:pyproject.toml"))
    return ReleaseSource(repository, commit, int(epoch), project["project"]["version"])


def check_releasable(source: ReleaseSource) -> None:
    """Raise ReleaseError if files differ from the commit, or the changelog lacks the version."""
    changed = run(source.repository, "git", "status", "--porcelain").splitlines()
    if changed:
        shown = "\n".join(changed[:10])
        raise ReleaseError(f"These files differ from the commit. Commit or remove them:\n{shown}")
    changelog = run(source.repository, "git", "show", f"{source.commit}:CHANGELOG.md")
    if not has_entry(changelog, source.version):
        raise ReleaseError(
            f"CHANGELOG.md has no entry for {source.version}, the version in pyproject.toml. Add "
            f"the heading `## {source.version} – <date>` below `## Unreleased`, and commit it."
        )


def has_entry(changelog: str, version: str) -> bool:
    """Return whether a changelog has a heading for this version."""
    return re.search(rf"^## \[?{re.escape(version)}\]?(\s|$)", changelog, re.MULTILINE) is not None


def write_archive(source: ReleaseSource, folder: Path) -> Path:
    """Write the files of the commit as an archive, and return its path."""
    path = folder / f"{source.name}.tar.gz"
    _archive(source, path, "tar.gz")
    return path


def export(source: ReleaseSource, scratch: Path) -> Path:
    """Write the files of the commit into a new folder, and return the folder."""
    packed = scratch / "source.tar"
    _archive(source, packed, "tar")
    with tarfile.open(packed) as archive:
        archive.extractall(scratch, filter="data")
    packed.unlink()
    return scratch / source.name


def _archive(source: ReleaseSource, path: Path, file_format: str) -> None:
    # Git gives all files the time of the commit. Its umask is a setting of the user.
    command = ("git", "-c", "tar.umask=0022", "archive", f"--format={file_format}")
    run(source.repository, *command, f"--prefix={source.name}/", f"--output={path}", source.commit)


def run(folder: Path, *command: str | Path) -> str:
    """Return the output of a program that runs in a folder. Raise ReleaseError if it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ReleaseError(f"`{command[0]}` is not installed.") from error
    if done.returncode != 0:
        shown = " ".join(str(word) for word in command[:4])
        raise ReleaseError(f"`{shown} …` failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout

"""Versions of the service in the current repository: commits, the working tree, and changes."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.core.catalog.own.service_file import FILE_NAME
from backend.core.catalog.sources import IGNORED
from backend.core.errors import ManifestInvalid, NotFound, TachoError
from backend.core.results.guard.document import ServiceVersion, cut_line
from worker.guard.sources import check_size

WORKING_TREE = "working tree"


@dataclass(frozen=True)
class Repository:
    """A repository with a `tacho.toml`.

    Attributes:
        folder: the folder of `tacho.toml`.
        top: the top of the Git repository; None without Git.
    """

    folder: Path
    top: Path | None

    @classmethod
    def find(cls, start: Path) -> "Repository":
        """Return the repository of the nearest `tacho.toml`, in `start` or above it.

        Raises:
            NotFound: there is none.
        """
        start = start.resolve()
        for folder in [start, *start.parents]:
            if (folder / FILE_NAME).is_file():
                top = _try_git(folder, "rev-parse", "--show-toplevel")
                return cls(folder, Path(top).resolve() if top else None)
        raise NotFound(
            f"There is no {FILE_NAME} in {start} or above it. Write one with: tacho init"
        )

    def find_version(self, name: str) -> ServiceVersion:
        """Return the commit of a branch, tag or hash.

        Raises:
            NotFound: there is no such commit, or no Git repository.
        """
        if self.top is None:
            raise NotFound(
                f"{self.folder} is not in a Git repository, so there is no version {name!r}. "
                "Compare the folder with a change of it: --change 'npm install express@5'."
            )
        commit = _try_git(
            self.folder,
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            f"{name}^{{commit}}",
        )
        if not commit:
            raise NotFound(
                f"There is no commit {name!r} in {self.top}. Fetch it first (git fetch origin), or "
                "give another one with --base."
            )
        return make_version(name, commit, self._git("log", "-1", "--format=%s", commit))

    def list_commits(self, good: ServiceVersion, bad: ServiceVersion) -> list[ServiceVersion]:
        """Return the commits after `good` up to `bad`, the oldest first, without side branches."""
        separator = "\x1f"
        lines = self._git(
            *("log", "--reverse", "--first-parent", f"--format=%H{separator}%s"),
            f"{good.commit}..{bad.commit}",
        ).splitlines()
        found = (line.split(separator, 1) for line in lines)
        return [make_version(commit[:10], commit, title) for commit, title in found]

    def export(self, version: ServiceVersion, target: Path) -> None:
        """Write the files of a version below the folder of `tacho.toml` to a new folder.

        Raises:
            TooLarge: there are too many files, or they are too large.
            TachoError: Git cannot archive them.
        """
        target.mkdir(parents=True)
        if version.commit is not None:
            self._export_commit(version.commit, target)
        elif self.top is not None:
            names = self._git("ls-files", "-z", "-co", "--exclude-standard").split("\0")
            self._copy([name for name in names if name], target)
        else:
            found = (path.relative_to(self.folder) for path in self.folder.rglob("*"))
            names = [str(name) for name in found if not IGNORED.intersection(name.parts)]
            self._copy(names, target)

    def _export_commit(self, commit: str, target: Path) -> None:
        assert self.top is not None
        prefix = self.folder.relative_to(self.top)
        treeish = commit if prefix == Path() else f"{commit}:{prefix.as_posix()}"
        with tempfile.TemporaryFile() as archive:
            command = ["git", "-C", str(self.top), "archive", "--format=tar", treeish]
            done = subprocess.run(command, stdout=archive, stderr=subprocess.PIPE, check=False)
            if done.returncode != 0:
                raise TachoError(
                    f"Git cannot export {commit[:10]}: {done.stderr.decode(errors='replace')}"
                )
            archive.seek(0)
            with tarfile.open(fileobj=archive) as tar:
                members = tar.getmembers()
                check_size(len(members), sum(member.size for member in members))
                try:
                    tar.extractall(target, filter="data")
                except tarfile.FilterError as error:
                    raise ManifestInvalid(
                        f"{error.tarinfo.name} in {commit[:10]} leads out of the service, or is "
                        "not a regular file. Replace it with a file."
                    ) from error

    def _copy(self, names: Sequence[str], target: Path) -> None:
        paths = [(name, self.folder / name) for name in names]
        # A file that was deleted but not committed is still listed.
        files = [(name, path) for name, path in paths if path.is_symlink() or path.is_file()]
        check_size(len(files), sum(path.lstat().st_size for _, path in files))
        for name, path in files:
            copy = target / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy, follow_symlinks=False)

    def _git(self, *arguments: str) -> str:
        return _git(self.folder, *arguments)


def make_version(name: str, commit: str | None = None, title: str = "") -> ServiceVersion:
    """Return a version whose texts fit into a report."""
    return ServiceVersion(name=cut_line(name), commit=commit, title=cut_line(title))


def apply_change(command: str, folder: Path) -> None:
    """Run a command in a copy of the service, and remove what only its tools left there.

    Raises:
        ManifestInvalid: the command fails.
    """
    before = _list_ignored(folder)
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TACHO_")}
    done = subprocess.run(  # noqa: S602  the command of the person who runs this
        command, shell=True, cwd=folder, env=environment, capture_output=True, check=False
    )
    if done.returncode != 0:
        output = (done.stdout + done.stderr).decode(errors="replace").strip()[-2000:]
        raise ManifestInvalid(
            f"--change: {command!r} ended with exit code {done.returncode}:\n{output}"
        )
    for path in sorted(_list_ignored(folder) - before):
        shutil.rmtree(path, ignore_errors=True)


def _list_ignored(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.name in IGNORED and path.is_dir()}


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        error = done.stderr.decode(errors="replace").strip()
        raise TachoError(f"git {arguments[0]} failed in {folder}: {error}")
    return done.stdout.decode(errors="surrogateescape").rstrip("\n")


def _try_git(folder: Path, *arguments: str) -> str:
    try:
        return _git(folder, *arguments)
    except (TachoError, FileNotFoundError):
        return ""

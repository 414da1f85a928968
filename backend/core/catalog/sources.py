"""Sources of a service: a folder and, for a further version, the files that replace others."""

import hashlib
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from backend.core.errors import ManifestInvalid

# The folder with a framework's further versions; not part of the framework itself.
VERSIONS = "versions"
# Created by builds on the host; never part of the sources.
IGNORED = frozenset(
    {"node_modules", "target", "dist", ".venv", "__pycache__", ".git", "build", ".gradle"}
)


@dataclass(frozen=True)
class SourceTree:
    """The files of a folder; files of `overlay` are added or replace them.

    Symbolic links may lead to files below `boundary`, by default the folder itself. All files of
    an `is_export` count: it holds what a repository tracks, whatever its folders are called.
    """

    folder: Path
    overlay: Path | None = None
    boundary: Path | None = None
    is_export: bool = False

    def list_files(self) -> dict[PurePosixPath, Path]:
        """Return files by relative name, ordered by name.

        Raises:
            ManifestInvalid: a symbolic link leads out of the tree, or a file is not a regular file.
        """
        inside = [self.boundary or self.folder, *([self.overlay] if self.overlay else [])]
        if self.is_export:
            return dict(sorted(_list_files(self.folder, inside, frozenset()).items()))
        found = _list_files(self.folder, inside, IGNORED)
        for name in [name for name in found if name.parts[0] == VERSIONS]:
            del found[name]
        if self.overlay is not None:
            found |= _list_files(self.overlay, inside, IGNORED)
        return dict(sorted(found.items()))

    def part(self, name: str) -> "SourceTree":
        """Return the tree of a subfolder."""
        overlay = self.overlay / name if self.overlay else None
        return SourceTree(self.folder / name, overlay, self.boundary or self.folder)

    def copy_to(self, target: Path) -> None:
        """Copy the files into a new folder."""
        for name, path in self.list_files().items():
            copy = target / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


def _list_files(
    folder: Path, inside: Sequence[Path], ignored: Collection[str]
) -> dict[PurePosixPath, Path]:
    named = ((PurePosixPath(path.relative_to(folder)), path) for path in folder.rglob("*"))
    found = {
        name: path
        for name, path in named
        if (path.is_symlink() or not path.is_dir())
        and not any(part in ignored for part in name.parts)
    }
    tops = [top.resolve() for top in inside]
    for name, path in found.items():
        _check_file(folder, name, path, tops)
    return {name: path for name, path in found.items() if not path.is_dir()}


def _check_file(folder: Path, name: PurePosixPath, path: Path, tops: Sequence[Path]) -> None:
    """Raise ManifestInvalid unless reading the file reads a regular file of the service.

    The copy of a link is a copy of its target, so a link could carry secrets into a build.
    """
    if path.is_symlink() and not any(path.resolve().is_relative_to(top) for top in tops):
        raise ManifestInvalid(
            f"{folder}: {name} is a symbolic link that leads out of the folders of services. "
            "Replace it with a file.",
            file=str(path),
        )
    if not path.is_dir() and not path.is_file():
        what = "a symbolic link without a target" if path.is_symlink() else "not a regular file"
        raise ManifestInvalid(f"{folder}: {name} is {what}. Remove it.", file=str(path))


def digest_sources(trees: Sequence[SourceTree]) -> str:
    """Return the SHA-256 (hex) of folder names, relative names, executable bits and contents."""
    total = hashlib.sha256()
    for tree in trees:
        for name, path in tree.list_files().items():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            executable = bool(path.stat().st_mode & 0o100)
            total.update(f"{tree.folder.name}/{name}\0{executable}\0{content}\n".encode())
    return total.hexdigest()

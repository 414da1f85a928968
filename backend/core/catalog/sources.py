"""Sources of a service: a folder and, for a further version, the files that replace others."""

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# The folder with a framework's further versions; not part of the framework itself.
VERSIONS = "versions"
# Created by builds on the host; never part of the sources.
IGNORED = {"node_modules", "target", "dist", ".venv", "__pycache__", ".git", "build", ".gradle"}


@dataclass(frozen=True)
class SourceTree:
    """The files of a folder; files of `overlay` are added or replace them."""

    folder: Path
    overlay: Path | None = None

    def list_files(self) -> dict[PurePosixPath, Path]:
        """Return files by relative name, ordered by name."""
        found = _list_files(self.folder)
        for name in [name for name in found if name.parts[0] == VERSIONS]:
            del found[name]
        if self.overlay is not None:
            found |= _list_files(self.overlay)
        return dict(sorted(found.items()))

    def part(self, name: str) -> "SourceTree":
        """Return the tree of a subfolder."""
        return SourceTree(self.folder / name, self.overlay / name if self.overlay else None)

    def copy_to(self, target: Path) -> None:
        """Copy the files into a new folder."""
        for name, path in self.list_files().items():
            copy = target / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)


def _list_files(folder: Path) -> dict[PurePosixPath, Path]:
    named = ((PurePosixPath(path.relative_to(folder)), path) for path in folder.rglob("*"))
    return {
        name: path
        for name, path in named
        if not path.is_dir() and not IGNORED.intersection(name.parts)
    }


def digest_sources(trees: Sequence[SourceTree]) -> str:
    """Return the SHA-256 (hex) of folder names, relative names, executable bits and contents."""
    total = hashlib.sha256()
    for tree in trees:
        for name, path in tree.list_files().items():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            executable = bool(path.stat().st_mode & 0o100)
            total.update(f"{tree.folder.name}/{name}\0{executable}\0{content}\n".encode())
    return total.hexdigest()

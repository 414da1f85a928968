"""Builds, caches, base images and load generators: a bench host can make them again."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

_DIGEST_CHARACTERS = 12
_REMOVED = ".removed"


class StoredKind(StrEnum):
    """The kind of a stored item, as people read it."""

    BUILD = "build"
    UNFINISHED = "unfinished build"
    CACHE = "cache of builds"
    BASE = "base image"
    LOAD_GENERATOR = "load generator"
    GO_LIBRARY = "compiled Go library"


@dataclass(frozen=True)
class StoredItem:
    """An image or a folder that can be removed.

    Attributes:
        name: tag of the image, or path of the folder.
        size_bytes: what its removal frees. Layers that several images share count only once.
        remove: removes it; raises `RuntimeFailure` or OSError.
        build_name: `name_build` of a build; empty for other items.
        needed_because: why it must stay, as far as its runtime knows; empty if nothing needs it.
        is_image: whether the container engine stores it, and not the data folder.
    """

    kind: StoredKind
    name: str
    size_bytes: int
    used_at: datetime
    remove: Callable[[], None] = field(repr=False, compare=False)
    build_name: str = ""
    needed_because: str = ""
    is_image: bool = False


def name_build(slug: str, digest: str) -> str:
    """Return the name of a program's build, from its slug and its content digest."""
    return f"{slug}-{digest[:_DIGEST_CHARACTERS]}"


def read_change_time(path: Path) -> datetime:
    """Return the time at which a file or folder was last changed; raises OSError."""
    return datetime.fromtimestamp(path.lstat().st_mtime, UTC)


def list_folders(top: Path) -> list[Path]:
    """Return the folders in a folder, without symbolic links; empty if it does not exist."""
    if not top.is_dir():
        return []
    return sorted(path for path in top.iterdir() if path.is_dir() and not path.is_symlink())


def remove_folder(folder: Path) -> None:
    """Remove a folder. Nobody finds a part of it under its name; raises OSError."""
    if not folder.name.endswith(_REMOVED):
        folder = folder.rename(folder.with_name(folder.name + _REMOVED))
    shutil.rmtree(folder)

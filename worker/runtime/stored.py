"""Builds, caches, base images and load generators: a bench host can make them again."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from backend.platform.untrusted_folders import remove_folder

_DIGEST_CHARACTERS = 12
_REMOVED = ".removed"
# A clock that is corrected makes files look newer.
_CLOCK_STEP_SECONDS = 86_400


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
    """Return the time at which a file or folder was last changed; raises OSError.

    A build can set the time of its own folder. A time in the future counts as the year 1970, so
    that the folder does not stay forever.
    """
    changed = os.lstat(path).st_mtime  # trusted path: nobody else can write its parent
    is_possible = 0 <= changed <= time.time() + _CLOCK_STEP_SECONDS
    return datetime.fromtimestamp(changed if is_possible else 0, UTC)


# trusted paths: only Tacho can write the folder itself
def list_folders(top: Path) -> list[Path]:
    """Return the folders in a folder, without symbolic links; empty if it does not exist."""
    try:
        with os.scandir(top) as entries:
            found = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [top / name for name in sorted(found)]


def remove_whole_folder(folder: Path) -> None:
    """Remove a folder. Nobody finds a part of it under its name; raises OSError."""
    if not folder.name.endswith(_REMOVED):
        renamed = folder.with_name(folder.name + _REMOVED)
        folder = folder.rename(renamed)  # trusted path: nobody else can write its parent
    remove_folder(folder)

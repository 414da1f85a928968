"""Lists the builds and the caches of the process runtime, and keeps the notes about builds."""

import json
import os
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Self

from backend.platform.untrusted_folders import FolderTooDeep, measure_bytes, remove_folder
from worker.runtime.stored import (
    StoredItem,
    StoredKind,
    list_folders,
    read_change_time,
    remove_whole_folder,
)

# End of the name of a folder with the processes of a build that runs.
RECORDS = ".build"
_SUFFIX = ".json"


@dataclass(frozen=True)
class BuildNote:
    """A note about a finished build. It is next to the build's folder, which builds can write.

    The time of its change is the last use of the build.
    """

    build_seconds: float
    size_bytes: int

    @classmethod
    def find(cls, folder: Path) -> Self | None:
        """Return the note about a build; None if it did not finish."""
        try:
            text = _note_path(folder).read_text(encoding="utf-8")  # trusted path: see the class
            note = json.loads(text)
            return cls(float(note["build_seconds"]), int(note["size_bytes"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # the disk may have been full
            return None

    def write(self, folder: Path) -> None:
        """Note that a build has finished; raises OSError."""
        path = _note_path(folder)
        unfinished = path.with_name(f"{path.name}.new")
        text = json.dumps(asdict(self))
        unfinished.write_text(text, encoding="utf-8")  # trusted path: see the class
        unfinished.rename(path)  # trusted path: see the class


def touch_note(folder: Path) -> None:
    """Note that a finished build is used now."""
    os.utime(_note_path(folder))  # trusted path: see `BuildNote`


def forget_build(folder: Path) -> None:
    """Remove the note about a build, which then counts as unfinished."""
    _note_path(folder).unlink(missing_ok=True)  # trusted path: see `BuildNote`


def remove_if_present(folder: Path) -> None:
    """Remove a folder that builds or services have written; raises OSError."""
    try:
        remove_folder(folder)
    except FileNotFoundError:
        return


def list_builds(top: Path) -> list[StoredItem]:
    """Return the builds in a folder, with builds that did not finish."""
    items = []
    for folder in list_folders(top):
        if folder.name.endswith(RECORDS):
            continue
        note = BuildNote.find(folder)
        items.append(
            StoredItem(
                kind=StoredKind.UNFINISHED if note is None else StoredKind.BUILD,
                name=str(folder),
                size_bytes=_measure_bytes(folder) if note is None else note.size_bytes,
                used_at=read_change_time(folder if note is None else _note_path(folder)),
                remove=partial(_remove_build, folder),
                build_name="" if note is None else folder.name,
            )
        )
    return items


def list_caches(top: Path) -> list[StoredItem]:
    """Return the caches of builds, one for each service."""
    return [
        StoredItem(
            kind=StoredKind.CACHE,
            name=str(folder),
            size_bytes=_measure_bytes(folder),
            used_at=read_change_time(folder),
            remove=partial(remove_whole_folder, folder),
        )
        for folder in list_folders(top)
    ]


def _remove_build(folder: Path) -> None:
    forget_build(folder)
    remove_whole_folder(folder)


def _measure_bytes(folder: Path) -> int:
    """Return the size of a folder; 0 if it nests too many levels to be measured."""
    try:
        return measure_bytes(folder)
    except FolderTooDeep:
        return 0


def _note_path(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}{_SUFFIX}")

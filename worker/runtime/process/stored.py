"""Lists the builds and the caches of the process runtime."""

import json
from functools import partial
from pathlib import Path

from worker.runtime.process.disk_watch import folder_size_bytes
from worker.runtime.stored import (
    StoredItem,
    StoredKind,
    list_folders,
    read_change_time,
    remove_folder,
)

# In the folder of a finished build. Its time of change is the last use of the build.
FINISHED = ".tacho-built.json"
# End of the name of a folder with the processes of a build that runs.
RECORDS = ".build"


def list_builds(top: Path) -> list[StoredItem]:
    """Return the builds in a folder, with builds that did not finish."""
    items = []
    for folder in list_folders(top):
        if folder.name.endswith(RECORDS):
            continue
        note = folder / FINISHED
        is_finished = note.is_file() and not note.is_symlink()
        items.append(
            StoredItem(
                kind=StoredKind.BUILD if is_finished else StoredKind.UNFINISHED,
                name=str(folder),
                size_bytes=_read_size_bytes(note) if is_finished else folder_size_bytes(folder),
                used_at=read_change_time(note if is_finished else folder),
                remove=partial(remove_folder, folder),
                build_name=folder.name if is_finished else "",
            )
        )
    return items


def list_caches(top: Path) -> list[StoredItem]:
    """Return the caches of builds, one for each service."""
    return [
        StoredItem(
            kind=StoredKind.CACHE,
            name=str(folder),
            size_bytes=folder_size_bytes(folder),
            used_at=read_change_time(folder),
            remove=partial(remove_folder, folder),
        )
        for folder in list_folders(top)
    ]


def _read_size_bytes(note: Path) -> int:
    """Return the size that a build recorded. Without a valid record, measure its folder."""
    try:
        return int(json.loads(note.read_text(encoding="utf-8"))["size_bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return folder_size_bytes(note.parent)

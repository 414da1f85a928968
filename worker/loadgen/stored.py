"""Lists the load generators of earlier versions of Tacho, and the Go libraries next to them."""

from functools import partial
from pathlib import Path

from backend.platform.untrusted_folders import measure_bytes
from worker.loadgen.build import source_digest
from worker.runtime.process.go_cache import SEED_PREFIX
from worker.runtime.stored import (
    StoredItem,
    StoredKind,
    list_folders,
    read_change_time,
    remove_whole_folder,
)


def list_load_generators(data: Path) -> list[StoredItem]:
    """Return the load generators of a data folder; empty if they are shared by a symbolic link."""
    top = data / "k6"
    current = source_digest()
    return [
        StoredItem(
            kind=StoredKind.GO_LIBRARY
            if folder.name.startswith(SEED_PREFIX)
            else StoredKind.LOAD_GENERATOR,
            name=str(folder),
            size_bytes=measure_bytes(folder),
            used_at=read_change_time(folder),
            remove=partial(remove_whole_folder, folder),
            needed_because="this version of Tacho uses it" if folder.name == current else "",
        )
        # trusted path: only Tacho can write the data folder
        for folder in ([] if top.is_symlink() else list_folders(top))
    ]

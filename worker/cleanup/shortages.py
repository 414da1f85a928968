"""The disks of a bench host with too little free space for a trial, and how much each lacks."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from backend.core.free_space import MIB, find_device, find_free_bytes
from backend.core.units import HostFolder
from worker.runtime.stored import StoredItem


@dataclass(frozen=True)
class DiskShortage:
    """A disk with too little free space.

    Attributes:
        missing_bytes: what must be removed from it, at least.
        has_folders: whether it holds the folders of this installation.
        has_images: whether it holds the images of the container engine.
    """

    missing_bytes: int
    has_folders: bool = True
    has_images: bool = True

    def holds(self, item: StoredItem) -> bool:
        """Return whether the removal of an item frees space on this disk."""
        return self.has_images if item.is_image else self.has_folders


def find_shortages(folders: Mapping[HostFolder, Path], least_mb: int) -> list[DiskShortage]:
    """Return the disks that lack space; empty if each has enough.

    Args:
        folders: those of the bench host, by what they hold.
        least_mb: free space that each disk needs, in MiB.
    """
    disks: dict[int, set[HostFolder]] = defaultdict(set)
    for name, folder in folders.items():
        disks[find_device(folder)].add(name)
    found = []
    for names in disks.values():
        missing = least_mb * MIB - min(find_free_bytes(folders[name]) for name in names)
        if missing > 0:
            # A worker in a container does not see the folder of the engine, and its data folder is
            # a volume of the engine.
            has_images = HostFolder.ENGINE in names or (
                HostFolder.ENGINE not in folders and HostFolder.DATA in names
            )
            found.append(DiskShortage(missing, HostFolder.DATA in names, has_images))
    return found

"""The disks that Tacho watches."""

from dataclasses import dataclass
from pathlib import Path

from backend.core.config import Settings
from backend.core.free_space import MIB, read_disk
from backend.core.operations.monitoring.readings import DiskReading
from backend.core.runs.queue.database_disk import find_folder


@dataclass(frozen=True)
class WatchedDisk:
    """The disk of a folder.

    Args:
        name: what the folder holds.
        folder: any folder on the disk.
        needed_mb: free space, in MiB, with less of which Tacho starts nothing new; 0 for no limit.
    """

    name: str
    folder: Path
    needed_mb: int = 0

    def read(self) -> DiskReading:
        """Return its size and its free space."""
        space = read_disk(self.folder)
        return DiskReading(self.name, space.size_bytes, space.free_bytes, self.needed_mb * MIB)


def list_api_disks(settings: Settings) -> list[WatchedDisk]:
    """Return the disks of the machine of the API."""
    disks = [WatchedDisk("data folder", settings.data)]
    folder = find_folder(settings)
    if folder is not None:
        disks.append(WatchedDisk("database", folder, settings.database_free_mb))
    return disks

"""Disks in memory for the folders of an installation, which can be full for a while."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

# Upper limits. A disk in memory takes no more memory than its files.
_DATA_MB = 8192
_DATABASE_MB = 4096
_TIMEOUT_S = 5.0
_POLL_S = 0.005


class Disk:
    """A disk in memory that is mounted at a folder."""

    def __init__(self, folder: Path, size_mb: int) -> None:
        self.folder = folder
        self._size_mb = size_mb

    def mount(self) -> None:
        """Mount the disk. Raises CalledProcessError without the right to do so."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        options = f"size={self._size_mb}m,mode=700"
        _run("mount", "-t", "tmpfs", "-o", options, "tacho-chaos", str(self.folder))

    def unmount(self) -> None:
        """Unmount the disk, and lose what is on it."""
        _run("umount", "--lazy", str(self.folder))

    @contextmanager
    def full(self) -> Iterator[None]:
        """Leave no space on the disk inside the context."""
        try:
            self._shrink()
            yield
        finally:
            self._resize(f"{self._size_mb}m")

    def _shrink(self) -> None:
        """Reduce the size to what is stored, which may grow in the meantime."""
        deadline = time.monotonic() + _TIMEOUT_S
        while True:
            found = os.statvfs(self.folder)
            try:
                self._resize(str((found.f_blocks - found.f_bfree) * found.f_frsize))
            except subprocess.CalledProcessError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_POLL_S)
            else:
                return

    def _resize(self, size: str) -> None:
        _run("mount", "-o", f"remount,size={size}", str(self.folder))


class Disks:
    """The disks of the data folder and of the database, which is below it."""

    def __init__(self, data: Path) -> None:
        self.data = Disk(data, _DATA_MB)
        self.database = Disk(data / "postgres", _DATABASE_MB)


@contextmanager
def mount_disks(data: Path) -> Iterator[Disks]:
    """Mount both disks inside the context."""
    disks = Disks(data)
    with ExitStack() as exits:
        for disk in (disks.data, disks.database):
            disk.mount()
            exits.callback(disk.unmount)
        yield disks


def can_mount() -> bool:
    """Return whether this program may mount disks."""
    with tempfile.TemporaryDirectory(prefix="tacho-chaos-") as folder:
        disk = Disk(Path(folder), 1)
        try:
            disk.mount()
        except (subprocess.CalledProcessError, FileNotFoundError):
            return False
        disk.unmount()
    return True


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)

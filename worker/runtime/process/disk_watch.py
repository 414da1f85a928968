"""Stops a build that fills the disk."""

import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

_PAUSE_S = 1.0


class DiskWatch:
    """Calls `stop` once if folders grow by more than `most_bytes`.

    It measures the folders only if the free space of their disk has shrunk that much, because
    measuring takes long.
    """

    def __init__(self, folders: Sequence[Path], most_bytes: int, stop: Callable[[], None]) -> None:
        self._folders = folders
        self._most_bytes = most_bytes
        self._stop = stop
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="disk-watch", daemon=True)

    def __enter__(self) -> Self:
        self._free_bytes = shutil.disk_usage(self._folders[0]).free
        self._size_bytes = self._measure()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_PAUSE_S):
            shrunk_bytes = self._free_bytes - shutil.disk_usage(self._folders[0]).free
            if shrunk_bytes < self._most_bytes:
                continue
            if self._measure() - self._size_bytes > self._most_bytes:
                self._stop()
                return

    def _measure(self) -> int:
        return sum(folder_size_bytes(folder) for folder in self._folders)


def folder_size_bytes(folder: Path) -> int:
    """Return the size of all regular files below a folder, which may change meanwhile."""
    size_bytes = 0
    for entry in folder.rglob("*"):
        try:
            if entry.is_file() and not entry.is_symlink():
                size_bytes += entry.lstat().st_size
        except OSError:  # it was removed after it was listed
            continue
    return size_bytes

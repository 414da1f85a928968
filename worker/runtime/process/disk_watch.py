"""Stops a build that fills the disk, or whose folders cannot be measured."""

import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from backend.platform.untrusted_folders import FolderTooDeep, measure_bytes

_PAUSE_S = 1.0


class DiskWatch:
    """Calls `stop` once if folders grow by more than `most_bytes`, or nest too many levels.

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
            if self._has_excess():
                self._stop()
                return

    def _has_excess(self) -> bool:
        try:
            return self._measure() - self._size_bytes > self._most_bytes
        except FolderTooDeep:
            return True

    def _measure(self) -> int:
        return sum(measure_bytes(folder) for folder in self._folders)

"""Keeps the log files of a trial's services, each of bounded size."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from worker.runtime.output import LOG_TAIL_BYTES

# The same limit as in Docker (`worker.runtime.docker.pod`).
_MAX_BYTES = 4 * 1024 * 1024
_PAUSE_S = 0.5


class ServiceLogs:
    """Log files to which services write directly, so that logging costs this process nothing.

    A thread checks their sizes. It saves the end of a file that is too large, and empties the file.
    A few lines that are written at that instant may be lost.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: list[str] = []
        self._kept: dict[str, bytes] = {}
        self._cut_bytes: dict[str, int] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self, name: str) -> IO[bytes]:
        """Open the log file of a service."""
        with self._lock:
            self._names.append(name)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="log-sizes", daemon=True)
                self._thread.start()
        # In this mode, writing continues at the start after the file was emptied.
        return self._path(name).open("ab")

    def read(self, name: str) -> str:
        """Return the tail of a service's log, after a line with the size of any cut."""
        with self._lock:
            log = (self._kept.get(name, b"") + self._read_tail(name))[-LOG_TAIL_BYTES:]
            cut_bytes = self._cut_bytes.get(name, 0)
        gap = f"[about {cut_bytes:,} bytes of this log were cut here]\n" if cut_bytes else ""
        return gap + log.decode(errors="replace")

    def close(self) -> None:
        """Stop checking the files."""
        self._closed.set()

    def trim(self) -> None:
        """Empty the files that have grown too large."""
        with self._lock:
            for name in self._names:
                with suppress(FileNotFoundError):
                    self._trim(name)

    def _trim(self, name: str) -> None:
        size_bytes = self._path(name).stat().st_size
        if size_bytes <= _MAX_BYTES:
            return
        self._kept[name] = self._read_tail(name)
        with self._path(name).open("r+b") as log:
            log.truncate(0)
        written = self._cut_bytes.get(name, 0) + size_bytes
        self._cut_bytes[name] = written - len(self._kept[name])

    def _watch(self) -> None:
        while not self._closed.wait(_PAUSE_S):
            self.trim()

    def _read_tail(self, name: str) -> bytes:
        with self._path(name).open("rb") as log:
            size_bytes = log.seek(0, 2)
            log.seek(max(0, size_bytes - LOG_TAIL_BYTES))
            return log.read(LOG_TAIL_BYTES)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.log"

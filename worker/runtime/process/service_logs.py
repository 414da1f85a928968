"""Keeps the log files of a trial's services, each of bounded size."""

import os
import threading
from pathlib import Path

from backend.platform.untrusted_folders import open_log
from worker.runtime.output import LOG_TAIL_BYTES

# The same limit as in Docker (`worker.runtime.docker.pod`).
_MAX_BYTES = 4 * 1024 * 1024
_PAUSE_S = 0.5


class ServiceLogs:
    """Log files to which services write directly, so that logging costs this process nothing.

    A thread checks their sizes. It saves the end of a file that is too large, and empties the file.
    A few lines that are written at that instant may be lost. A service owns its log, so the files
    are used only through the descriptors with which they were created.
    """

    def __init__(self, folder: Path, owner_id: int) -> None:
        self._folder = folder
        self._owner_id = owner_id
        self._files: dict[str, int] = {}
        self._kept: dict[str, bytes] = {}
        self._cut_bytes: dict[str, int] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def create(self, name: str) -> int:
        """Create the log file of a service, and return its descriptor, which `close` closes."""
        with self._lock:
            # In this mode, writing continues at the start after the file was emptied.
            self._files[name] = open_log(self._folder, f"{name}.log", self._owner_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="log-sizes", daemon=True)
                self._thread.start()
            return self._files[name]

    def read(self, name: str) -> str:
        """Return the tail of a service's log, after a line with the size of any cut."""
        with self._lock:
            log = (self._kept.get(name, b"") + self._read_tail(name))[-LOG_TAIL_BYTES:]
            cut_bytes = self._cut_bytes.get(name, 0)
        gap = f"[about {cut_bytes:,} bytes of this log were cut here]\n" if cut_bytes else ""
        return gap + log.decode(errors="replace")

    def close(self) -> None:
        """Stop checking the files, and close them. Their present content can still be read."""
        self._closed.set()
        with self._lock:
            for name in list(self._files):
                self._kept[name] = self._kept.get(name, b"") + self._read_tail(name)
                os.close(self._files.pop(name))

    def trim(self) -> None:
        """Empty the files that have grown too large."""
        with self._lock:
            for name in self._files:
                self._trim(name)

    def _trim(self, name: str) -> None:
        size_bytes = os.fstat(self._files[name]).st_size
        if size_bytes <= _MAX_BYTES:
            return
        self._kept[name] = self._read_tail(name)
        os.ftruncate(self._files[name], 0)
        written = self._cut_bytes.get(name, 0) + size_bytes
        self._cut_bytes[name] = written - len(self._kept[name])

    def _watch(self) -> None:
        while not self._closed.wait(_PAUSE_S):
            self.trim()

    def _read_tail(self, name: str) -> bytes:
        if name not in self._files:
            return b""
        size_bytes = os.fstat(self._files[name]).st_size
        begin = max(0, size_bytes - LOG_TAIL_BYTES)
        return os.pread(self._files[name], LOG_TAIL_BYTES, begin)

"""The id by which a worker holds the lease of its bench host."""

import fcntl
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TextIO
from uuid import UUID, uuid4, uuid5

from backend.core.db import parse_id
from backend.core.queue import quote_queue

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class HolderFile:
    """A file in the data folder with a random id, locked while this process lives.

    A worker that starts again on the same data folder has the id of the earlier one, so it need not
    wait until the lease of that worker ends. Two processes cannot have the id at the same time.
    Safe to use from several threads.
    """

    def __init__(self, data: Path, queue: str) -> None:
        """Open nothing yet.

        Args:
            data: the data folder. Workers of several hosts may share it.
            queue: of the bench host.
        """
        self._path = data / "leases" / quote_queue(queue)
        self._file: TextIO | None = None
        self._holder: UUID | None = None
        self._guard = threading.Lock()

    def find_holder(self) -> UUID | None:
        """Lock the file and return the id; None while another process has locked the file.

        Raises OSError if the file cannot be written.
        """
        with self._guard:
            if self._holder is None and (file := self._open_locked()) is not None:
                self._file, self._holder = file, _read_holder(file)
            return self._holder

    def close(self) -> None:
        """Unlock the file."""
        with self._guard:
            if self._file is not None:
                self._file.close()
            self._file = self._holder = None

    def _open_locked(self) -> TextIO | None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        return file


def _read_holder(file: TextIO) -> UUID:
    """Return the id of a locked file, which gets one if it has none."""
    file.seek(0)
    stored = parse_id(file.read().strip())
    if stored is None:
        stored = uuid4()
        file.truncate(0)
        file.write(f"{stored}\n")
        file.flush()
        os.fsync(file.fileno())
    # A copy of the folder on another machine, such as a clone of its disk, is another holder.
    boot_id = ""
    with suppress(OSError):
        boot_id = _BOOT_ID.read_text().strip()
    return uuid5(stored, boot_id)

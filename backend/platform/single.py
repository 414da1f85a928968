"""Allow one `tacho up` per data folder, by a lock file that contains its address."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from backend.platform.errors import AlreadyRunning
from backend.platform.layout import Layout


@contextmanager
def sole_owner(layout: Layout, url: str) -> Iterator[None]:
    """Lock the data folder. The lock ends with the process, even if it is killed.

    Raises:
        AlreadyRunning: another process holds the lock.
    """
    with layout.lock.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            owner = json.loads(lock.read() or "{}")
            raise AlreadyRunning(owner.get("url", url), owner.get("pid", 0)) from error
        lock.truncate(0)
        lock.write(json.dumps({"pid": os.getpid(), "url": url}))
        lock.flush()
        yield

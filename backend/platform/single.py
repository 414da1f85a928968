"""One `tacho up` a data folder: a file lock that holds the address for whoever comes second."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from backend.platform.errors import AlreadyRunning
from backend.platform.layout import Layout


@contextmanager
def sole_owner(layout: Layout, url: str) -> Iterator[None]:
    """Holds the data folder until left; the lock goes with the process, even when killed.

    Raises:
        AlreadyRunning: somebody else holds it.
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

"""Allow one `tacho up` per data folder, by a lock file that contains its address."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from backend.platform.errors import AlreadyRunning, PlatformError
from backend.platform.layout import Layout

_POLL_S = 0.2


@contextmanager
def sole_owner(layout: Layout, url: str, *, serves: bool = False) -> Iterator[None]:
    """Lock the data folder. The lock ends with the process, even if it is killed.

    Args:
        layout: of the data folder.
        url: the address of Tacho.
        serves: whether this process is `tacho up`, which `stop_owner` may stop.

    Raises:
        AlreadyRunning: another process holds the lock.
    """
    with layout.lock.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            owner = json.loads(lock.read() or "{}")
            raise AlreadyRunning(
                owner.get("url", url),
                owner.get("pid", 0),
                # Earlier versions did not store it, and only `tacho up` locked the folder.
                serves=owner.get("serves", True),
            ) from error
        lock.truncate(0)
        lock.write(json.dumps({"pid": os.getpid(), "url": url, "serves": serves}))
        lock.flush()
        yield


def find_owner(layout: Layout, url: str) -> AlreadyRunning | None:
    """Return the process that uses the data folder; None if none does."""
    try:
        with sole_owner(layout, url):
            return None
    except AlreadyRunning as running:
        return running


def stop_owner(layout: Layout, url: str, timeout_s: float = 120.0) -> None:
    """Stop the `tacho up` that uses the data folder, if there is one, and wait for its end.

    Raises:
        AlreadyRunning: another command uses the folder.
        PlatformError: it did not end in time.
    """
    deadline, has_asked = time.monotonic() + timeout_s, False
    while (running := find_owner(layout, url)) is not None:
        if not running.serves or not running.pid:
            raise running
        if not has_asked:
            with suppress(ProcessLookupError):
                os.kill(running.pid, signal.SIGTERM)
            has_asked = True
        if time.monotonic() > deadline:
            raise PlatformError(
                f"{running.detail} It did not stop within {timeout_s:.0f} s. Stop it, then try "
                "again."
            )
        time.sleep(_POLL_S)

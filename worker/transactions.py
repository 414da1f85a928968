"""Runs transactions of the worker, and repeats them during an outage of the database."""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.orm import Session

from backend.core.db import is_disk_full, is_outage, unit_of_work
from backend.core.errors import TachoError

_log = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 1.0

T = TypeVar("T")


class WorkerStopping(TachoError):
    """The worker is being stopped while the database does not answer."""

    code = "worker_stopping"
    title = "The worker is being stopped"


def run_transaction(
    work: Callable[[Session], T], is_stopping: Callable[[], bool] = lambda: False
) -> T:
    """Run `work` in one transaction and return its result.

    While the database does not answer, the whole transaction is repeated with growing pauses, so
    `work` must be idempotent: the answer to a commit may be lost after the commit took place.

    Raises:
        WorkerStopping: `is_stopping` turned true during an outage.
    """
    pause_seconds, failed_at = _FIRST_PAUSE_SECONDS, 0.0
    while True:
        try:
            with unit_of_work() as session:
                result = work(session)
        except Exception as error:
            if not is_outage(error):
                raise
            if not failed_at:
                failed_at = time.monotonic()
                why = "has a full disk" if is_disk_full(error) else "does not answer"
                _log.warning("the database %s; trying again: %s", why, describe(error))
        else:
            if failed_at:
                _log.warning("the database answers after %.1f s", time.monotonic() - failed_at)
            return result
        if is_stopping():
            raise WorkerStopping("The worker is being stopped while the database does not answer.")
        threading.Event().wait(pause_seconds)
        pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)


def describe(error: BaseException) -> str:
    """Return an error's first line, for a log."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__

"""Removes seconds and logs that are older than they are kept.

It also removes the trials of large runs that were deleted, and the sources of guards that ended.
"""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from backend.core.db import is_lock_timeout, unit_of_work
from backend.core.operations.retention import service
from worker.monitoring import RETENTION_MONTHS_DROPPED, RETENTION_REMOVALS

_log = logging.getLogger(__name__)
# After this time other tasks get their turn.
TURN_SECONDS = 20.0
# The pause after a transaction, as a multiple of its duration. With 1 and with 3, the p95 of a page
# grew by more than half (docs/results/retention.md).
_PAUSE = 9.0


def remove() -> None:
    """Mark what is due, drop whole months, then delete single rows.

    Rows are deleted only after all due runs are marked and no month is left to drop, because a
    dropped partition saves the deletion of its rows. If a month is in use, such as by a backup, its
    drop waits for the next turn, and rows are deleted meanwhile.
    """
    now = datetime.now(UTC)
    turn_ends = time.monotonic() + TURN_SECONDS
    steps: tuple[Callable[[Session], bool], ...] = (
        lambda session: _mark_due(session, now),
        lambda session: _drop_month(session, now),
        service.delete_removed_rows,
        service.delete_trials_of_deleted_runs,
        service.delete_unneeded_guards,
    )
    for step in steps:
        try:
            if not _repeat(step, turn_ends):
                return
        except OperationalError as error:
            if not is_lock_timeout(error):
                raise
            _log.info("a step of retention goes on later, because a table is in use")


def _mark_due(session: Session, now: datetime) -> bool:
    marked = service.mark_due(session, now)
    RETENTION_REMOVALS.inc(marked)
    return marked > 0


def _drop_month(session: Session, now: datetime) -> bool:
    is_dropped = service.drop_months(session, now)
    RETENTION_MONTHS_DROPPED.inc(is_dropped)
    return is_dropped


def _repeat(step: Callable[[Session], bool], turn_ends: float) -> bool:
    """Repeat a step, each time in its own transaction, until nothing is left for it.

    After each transaction it pauses, so that the database has time for pages.

    Returns:
        False if the turn ended first.
    """
    while time.monotonic() < turn_ends:
        began = time.monotonic()
        with unit_of_work() as session:
            has_more = step(session)
        if not has_more:
            return True
        time.sleep(_PAUSE * (time.monotonic() - began))
    return False

"""Count stored rows and queued messages, which a refused request must not change."""

from sqlalchemy import func, select

from backend.core.db import unit_of_work
from backend.core.models import Cell, Run, Trial
from backend.core.queue import get_redis, host_queue


def count_rows() -> tuple[int, int, int]:
    """Return how many runs, cells and trials there are."""
    with unit_of_work() as session:
        runs, cells, trials = (
            session.scalar(select(func.count()).select_from(table)) or 0
            for table in (Run, Cell, Trial)
        )
    return runs, cells, trials


def count_wake_up_messages(host: str) -> int:
    """Return how many wake-up messages wait for a bench host."""
    waiting = get_redis().llen(host_queue(host))
    assert isinstance(waiting, int)
    return waiting

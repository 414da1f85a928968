"""`webhook.deliver` sends messages to webhooks, `webhook.tidy` deletes old ones."""

import logging
import time
from datetime import timedelta

from backend.core.db import unit_of_work
from backend.core.queue import DELIVER_TASK, TIDY_TASK
from backend.core.webhooks import delivery, repository
from backend.links import add_links
from worker.dispatcher import app

_log = logging.getLogger(__name__)
# After this time other tasks get their turn. A new wake-up message follows within seconds.
_TURN_SECONDS = 30.0
_KEPT = timedelta(days=30)


@app.task(name=DELIVER_TASK)
def deliver() -> None:
    """Send due messages one after another. Several dispatchers may run this at the same time."""
    turn_ends = time.monotonic() + _TURN_SECONDS
    while time.monotonic() < turn_ends and delivery.attempt(add_links):
        pass


@app.task(name=TIDY_TASK)
def tidy() -> None:
    """Delete deliveries that ended long ago."""
    with unit_of_work() as session:
        forgotten = repository.delete_old(session, _KEPT)
    if forgotten:
        _log.info("%d old deliveries deleted", forgotten)

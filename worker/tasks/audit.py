"""`audit.tidy` deletes old entries of the audit log, if TACHO_AUDIT_DAYS is set."""

import logging
from datetime import timedelta

from backend.core.audit import repository
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.queue import TIDY_AUDIT_TASK
from worker.dispatcher import app

_log = logging.getLogger(__name__)


@app.task(name=TIDY_AUDIT_TASK)
def tidy() -> None:
    """Delete the entries that are older than the settings allow."""
    days = get_settings().audit_days
    if days == 0:
        return
    with unit_of_work() as session:
        deleted = repository.delete_old(session, timedelta(days=days))
    if deleted:
        _log.info("%d entries of the audit log older than %d days deleted", deleted, days)

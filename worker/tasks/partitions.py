"""`partitions.prepare`: creates the partitions of the coming months."""

import logging
from datetime import UTC, datetime

from sqlalchemy.exc import OperationalError

from backend.core.db import is_lock_timeout, unit_of_work
from backend.core.measurements.partitions import create_coming_partitions
from backend.core.queue import PARTITIONS_TASK
from worker.dispatcher import app

_log = logging.getLogger(__name__)


@app.task(name=PARTITIONS_TASK)
def prepare() -> None:
    """Create what is missing. Runs periodically; a table in use is tried again the next time."""
    try:
        with unit_of_work() as session:
            created = create_coming_partitions(session, datetime.now(UTC).date())
    except OperationalError as error:
        if not is_lock_timeout(error):
            raise
        _log.info("a partition for seconds is created later, because the table is in use")
        return
    for month in created:
        _log.info("partition for the seconds of %s created", month.strftime("%B %Y"))

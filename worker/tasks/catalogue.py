"""`catalogue.merge`: brings the catalogue in line with the sources that hosts have registered."""

from backend.core.catalog.registration import merge_catalogue
from backend.core.db import unit_of_work
from backend.core.queue import MERGE_TASK
from worker.dispatcher import app


@app.task(name=MERGE_TASK)
def merge() -> None:
    """Merge the registered sources. Runs periodically, because a host writes only its own rows."""
    with unit_of_work() as session:
        merge_catalogue(session)

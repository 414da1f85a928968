"""`charts.store_missing`: stores charts and outcomes of runs that an older Tacho finalized."""

import time

from backend.core.db import unit_of_work
from backend.core.queue import CHARTS_TASK
from backend.core.results.cell_charts import write_missing_charts
from backend.core.run_results.answer.stored import write_missing_outcomes
from worker.dispatcher import app

# After this time other tasks get their turn.
_TURN_SECONDS = 30.0
_BATCH_CELLS = 10
_BATCH_RUNS = 5


@app.task(name=CHARTS_TASK)
def store_missing() -> None:
    """Store what is missing in small transactions; finds nothing unless Tacho was updated.

    Outcomes come first, because lists show them.
    """
    turn_ends = time.monotonic() + _TURN_SECONDS
    while time.monotonic() < turn_ends:
        with unit_of_work() as session:
            stored = write_missing_outcomes(session, _BATCH_RUNS)
            stored = stored or write_missing_charts(session, _BATCH_CELLS)
        if not stored:
            break

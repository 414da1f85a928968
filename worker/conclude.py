"""What follows from the end of a run, once, whoever ended it and whichever worker sees it."""

import logging
from uuid import UUID

from backend.core.changes.retest import conclude_retest
from backend.core.changes.service import find_run_changes
from backend.core.comparison.charts import write_charts
from backend.core.comparison.summaries import write_summaries
from backend.core.db import is_disk_full, is_outage, unit_of_work
from backend.core.errors import TachoError
from backend.core.runs import conclusions
from backend.core.runs.announcement import announce_end
from backend.core.units import Purpose

_log = logging.getLogger(__name__)

_REASON_LENGTH = 300


def conclude_runs() -> None:
    """Conclude every ended run that nobody has concluded yet, each in one transaction.

    One that fails holds up no other: it says why, and is left alone for longer each time.
    """
    with unit_of_work() as session:
        waiting = conclusions.list_unconcluded(session)
    for run_id in waiting:
        try:
            _conclude(run_id)
        except Exception as error:  # noqa: BLE001  a task's edge: others must go on
            _log.exception("concluding run %s", run_id)
            with unit_of_work() as session:
                conclusions.note_failure(session, run_id, _explain(run_id, error))


def _conclude(run_id: UUID) -> None:
    with unit_of_work() as session:
        run = conclusions.claim_unconcluded(session, run_id)
        if run is None:
            return
        write_summaries(session, run)
        write_charts(session, run.id)
        if run.purpose == Purpose.COMPARISON:
            find_run_changes(session, run)
        elif run.purpose == Purpose.RETEST:
            conclude_retest(session, run)
        announce_end(session, run)
        conclusions.mark_concluded(session, run)
        _log.info("run %s concluded", run.slug)


def _explain(run_id: UUID, error: Exception) -> str:
    """Return the reason for a person, in a line; the log has the database's and the trace."""
    if isinstance(error, TachoError):
        return error.detail[:_REASON_LENGTH]
    if is_disk_full(error):
        return "The disk of the database is full. Free some space."
    if is_outage(error):
        return "The database did not answer."
    return f"Tacho met an error of its own. The worker's log has it, under the id {run_id}."

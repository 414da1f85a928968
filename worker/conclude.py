"""What follows from the end of a run, once, whoever ended it and whichever worker sees it."""

import logging
from uuid import UUID

from backend.core.changes.retest import conclude_retest
from backend.core.changes.service import find_run_changes
from backend.core.comparison.charts import write_charts
from backend.core.comparison.summaries import write_summaries
from backend.core.db import unit_of_work
from backend.core.runs import repository
from backend.core.runs.announcement import announce_end
from backend.core.units import Purpose

_log = logging.getLogger(__name__)


def conclude_runs() -> None:
    """Conclude every ended run that nobody has concluded yet, each in one transaction."""
    with unit_of_work() as session:
        waiting = repository.list_unconcluded(session)
    for run_id in waiting:
        try:
            _conclude(run_id)
        except Exception:  # noqa: BLE001  a task's edge: others must go on
            _log.exception("concluding run %s; the next recovery tries again", run_id)


def _conclude(run_id: UUID) -> None:
    with unit_of_work() as session:
        run = repository.claim_unconcluded(session, run_id)
        if run is None:
            return
        write_summaries(session, run)
        write_charts(session, run.id)
        if run.purpose == Purpose.COMPARISON:
            find_run_changes(session, run)
        elif run.purpose == Purpose.RETEST:
            conclude_retest(session, run)
        announce_end(session, run)
        repository.mark_concluded(session, run)
        _log.info("run %s concluded", run.slug)

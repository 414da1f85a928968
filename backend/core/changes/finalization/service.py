"""Finalize ended runs: summaries, charts, changes, outcome and webhooks, once for each run."""

import logging
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.changes.confirmation import finalize_confirmation
from backend.core.changes.missed_limits import announce_missed_limits
from backend.core.changes.service import find_run_changes
from backend.core.changes.webhooks.service import announce_end
from backend.core.db import is_disk_full, is_outage, unit_of_work
from backend.core.errors import TachoError
from backend.core.log_context import log_fields
from backend.core.models import Run
from backend.core.queue import after_commit, signal_host
from backend.core.results.cell_charts import write_charts
from backend.core.results.cell_summary import write_summaries
from backend.core.results.run_results.answer.stored import write_outcome
from backend.core.runs import repository
from backend.core.runs.live.event_stream import find_stream
from backend.core.tracing import trace_span
from backend.core.units import Purpose

_log = logging.getLogger(__name__)

_REASON_LENGTH = 300


class FinalizationCounts(NamedTuple):
    """How many runs were finalized, how many attempts failed, and how many runs were left.

    A run is left while another dispatcher finalizes a run of the same host.
    """

    finalized: int
    failed: int
    left: int


def finalize_runs() -> FinalizationCounts:
    """Finalize every ended run that is not finalized yet, each in one transaction.

    A failure does not stop the others. Its reason is stored, and the pause before the next attempt
    grows each time.
    """
    finalized = failed = left = 0
    with unit_of_work() as session:
        waiting = repository.list_unfinalized(session)
    for ids in waiting:
        run_id = ids.run_id
        with log_fields(**ids.list_log_fields()):
            try:
                is_finalized = _finalize(run_id)
                finalized += is_finalized
                left += not is_finalized
            except Exception as error:  # noqa: BLE001  a task's edge: others must go on
                failed += 1
                _log.exception("finalizing run %s", run_id)
                with unit_of_work() as session:
                    run = repository.note_failure(session, run_id, _explain(run_id, error))
                    if run is not None:
                        _signal_later(session, run)
    return FinalizationCounts(finalized, failed, left)


def _finalize(run_id: UUID) -> bool:
    """Finalize a run; return False if another dispatcher has or had it, or a run of its host."""
    with unit_of_work() as session:
        run = repository.claim_unfinalized(session, run_id)
        if run is None:
            return False
        with trace_span("finalize", run.traceparent, {"tacho.run_id": str(run_id)}):
            _write(session, run)
        _signal_later(session, run)
        _log.info("run %s finalized", run.slug)
        return True


def _signal_later(session: Session, run: Run) -> None:
    """Let the host of the run go on after the commit: it may wait for this finalization."""
    queue = find_stream(session, run).host
    after_commit(session, lambda: signal_host(queue))


def _write(session: Session, run: Run) -> None:
    summaries = write_summaries(session, run)
    write_charts(session, run.id)
    if run.purpose == Purpose.COMPARISON:
        find_run_changes(session, run)
    elif run.purpose == Purpose.CONFIRMATION:
        finalize_confirmation(session, run)
    results = write_outcome(session, run, summaries)
    announce_end(session, run)
    announce_missed_limits(session, run, results.cells)
    repository.mark_finalized(session, run)


def _explain(run_id: UUID, error: Exception) -> str:
    """Return the reason in one line for users; the log has the details and the traceback."""
    if isinstance(error, TachoError):
        return error.detail[:_REASON_LENGTH]
    if is_disk_full(error):
        return "The disk of the database is full. Free some space."
    if is_outage(error):
        return "The database did not answer."
    return f"Finalization failed with an internal error. Search the dispatcher's log for {run_id}."

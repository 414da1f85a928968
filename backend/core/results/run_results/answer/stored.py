"""The outcome of a run and its answer in one line, stored for lists.

They are written when a run is finalized. For runs of an older Tacho, and after changes of the
rules, a periodic task writes them again, with the summaries of the cells.
"""

import logging
from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.core.models import Run
from backend.core.results.cell_summary import RunSummaries, write_summaries
from backend.core.results.run_results.answer.builder import build_answer
from backend.core.results.run_results.service import RunResults, read_run_results
from backend.core.results.version import OUTCOME_VERSION
from backend.core.runs import repository as runs

_log = logging.getLogger(__name__)


def write_outcome(session: Session, run: Run, summaries: RunSummaries) -> RunResults:
    """Store outcome and summary of an ended run that was loaded with its cells and trials, and
    return its results.

    Args:
        summaries: the results of its cells.
    """
    results = read_run_results(session, run, summaries)
    answer = build_answer(results)
    run.outcome, run.summary = answer.outcome, answer.summary
    run.outcome_version = OUTCOME_VERSION
    session.flush()
    return results


def write_outcomes(session: Session, names: Collection[str]) -> None:
    """Store the outcomes of these ended runs, by id or slug, if they have none."""
    for name in names:
        run = runs.get_run(session, name)
        if run.outcome_version < OUTCOME_VERSION:
            _write_again(session, run)


def _write_again(session: Session, run: Run) -> None:
    """Store the outcome with the summaries that it follows from."""
    write_outcome(session, run, write_summaries(session, run))


def write_missing_outcomes(session: Session, most: int) -> int:
    """Store the outcomes of at most `most` finalized runs that have none of this version.

    A run whose outcome cannot be computed has none until the next version.

    Returns:
        The number of runs stored; 0 if none is missing.
    """
    missing = _list_without_outcome(session, OUTCOME_VERSION, most)
    for run_id in missing:
        run = runs.get_run(session, str(run_id))
        try:
            with session.begin_nested():
                _write_again(session, run)
        except Exception:  # noqa: BLE001  a task's edge: others must go on
            _log.exception("outcome of run %s", run_id)
            run.outcome_version = OUTCOME_VERSION
    return len(missing)


def _list_without_outcome(session: Session, version: int, most: int) -> Sequence[UUID]:
    """Return finalized runs without an outcome of this version, locked until commit."""
    query = select(Run.id).where(Run.outcome_version < version, Run.finalized_at.is_not(None))
    query = query.order_by(Run.outcome_version, Run.created_at.desc()).limit(most)
    return session.scalars(query.with_for_update(skip_locked=True)).all()

"""Judge runs with a goal after each block of trials, and add the next block or end them."""

import logging
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.db import unit_of_work
from backend.core.documents import RunGoal
from backend.core.goals.judging import GroupProgress, decide, judge_groups
from backend.core.models import Run
from backend.core.queue import after_commit, wake_up_worker
from backend.core.run_results.service import read_run_results
from backend.core.runs import repository
from backend.core.runs.event_stream import publish
from backend.core.runs.events import EndEvent
from backend.core.runs.goal import find_elapsed_seconds
from backend.core.runs.order import order_block
from backend.core.runs.service import update_status
from backend.core.runs.status import TRIAL_ENDS
from backend.core.statuses import GoalState

_log = logging.getLogger(__name__)


def continue_runs() -> None:
    """Judge every run whose block of trials is complete, each in one transaction.

    Workers call this after each trial, and the dispatcher periodically, in case a worker is lost
    between the two. Calling it again does no harm. A failure does not stop the others.
    """
    with unit_of_work() as session:
        waiting = repository.list_unjudged(session)
    for run_id in waiting:
        try:
            with unit_of_work() as session:
                continue_run(session, run_id)
        except Exception:  # noqa: BLE001  a task's edge: others must go on
            _log.exception("judging the goal of run %s", run_id)


def continue_run(session: Session, run_id: UUID) -> None:
    """Judge a run with a goal, and queue its next block of trials or let it end.

    Does nothing unless the goal is open and all trials have ended, so each block is added once.
    """
    # Statuses of trials change only under this lock.
    locked = repository.lock_run(session, run_id)
    if locked.goal is None or not locked.is_goal_open or locked.cancel_requested_at is not None:
        return
    run = repository.get_run(session, str(run_id))
    if any(trial.status not in TRIAL_ENDS for trial in run.trials):
        return
    continued = _judge(session, run, locked.goal)
    if continued:
        _add_block(session, run, continued)
        return
    update_status(session, run)
    status = run.status
    after_commit(session, lambda: publish(run_id, EndEvent(status=status)))


def _judge(session: Session, run: Run, goal: RunGoal) -> list[int]:
    """Store how far the run is; return the positions of the cells that get another trial."""
    groups = judge_groups(read_run_results(session, run).groups, goal)
    elapsed = find_elapsed_seconds(run.trials)
    continued = _list_continued(groups)
    run.goal_judgement = decide(
        groups,
        goal,
        blocks=run.trials_per_cell,
        elapsed_seconds=elapsed,
        next_seconds=elapsed / len(run.trials) * len(continued),
    )
    session.flush()
    return continued if run.goal_judgement.state is GoalState.OPEN else []


def _list_continued(groups: Sequence[GroupProgress]) -> list[int]:
    return [position for group in groups for position in group.continued]


def _add_block(session: Session, run: Run, continued: Sequence[int]) -> None:
    """Queue another trial of each of these cells, in a seeded random order."""
    run.trials_per_cell += 1
    cells = {cell.position: cell.id for cell in run.cells}
    order = order_block(len(cells), run.trials_per_cell, run.seed)
    block = [(cells[position], run.trials_per_cell) for position in order if position in continued]
    repository.add_trials(session, run, block, run.trials[-1].position + 1)
    host_name = run.host.name
    after_commit(session, lambda: wake_up_worker(host_name))

"""Judge runs with a goal after each block of trials, and add the next block or end them."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.db import is_outage, unit_of_work
from backend.core.documents import GoalJudgement, RunGoal
from backend.core.log_context import log_fields
from backend.core.models import Run
from backend.core.queue import after_commit, signal_host, wake_up_worker
from backend.core.results.goals.judging import RunCost, decide, judge_groups
from backend.core.results.run_results.service import read_run_results
from backend.core.runs import repository
from backend.core.runs.goal import count_blocks, find_elapsed_seconds, is_overdue, order_block
from backend.core.runs.live.event_stream import find_stream, publish
from backend.core.runs.live.events import EndEvent
from backend.core.runs.status import RUN_ENDS, TRIAL_ENDS
from backend.core.runs.trials import repository as trials
from backend.core.runs.trials.service import update_run_status
from backend.core.statuses import GoalState

_log = logging.getLogger(__name__)

# After so many failed judgements of a block, the run ends.
_MAX_FAILURES = 5


def continue_runs() -> None:
    """Judge every run whose block of trials is complete or overdue, each in one transaction.

    The dispatcher calls this when a worker reports such a run, and periodically, in case the
    message is lost. Calling it again does no harm. A failure does not stop the others.
    """
    with unit_of_work() as session:
        waiting = repository.list_unfinished_with_goal(session)
    for ids in waiting:
        with log_fields(**ids.list_log_fields()):
            _attempt(ids.run_id, stop_overdue)
    with unit_of_work() as session:
        complete = repository.list_unjudged(session)
    for ids in complete:
        with log_fields(**ids.list_log_fields()):
            _attempt(ids.run_id, continue_run)


def _attempt(run_id: UUID, work: Callable[[Session, UUID], None]) -> None:
    """Do the work in a transaction. If it fails several times, the run ends with a failure."""
    try:
        with unit_of_work() as session:
            work(session, run_id)
    except Exception as error:  # noqa: BLE001  a task's edge: others must go on
        _log.exception("judging the goal of run %s", run_id)
        if not is_outage(error):
            with unit_of_work() as session:
                _note_failure(session, run_id)


def stop_overdue(session: Session, run_id: UUID) -> None:
    """Cancel the queued trials of a run if the next one would end after its limit of minutes."""
    # All code locks trials before their run.
    trials.lock_unfinished(session, run_id)
    locked = repository.lock_run(session, run_id)
    run = repository.get_run(session, str(run_id))
    if locked.goal is None or not is_overdue(locked.goal, run.trials):
        return
    trials.cancel_trials(session, trials.lock_unfinished(session, run_id))


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
    _end(session, run)


def _judge(session: Session, run: Run, goal: RunGoal) -> list[int]:
    """Store how far the run is; return the positions of the cells that get another trial."""
    results = read_run_results(session, run)
    groups = judge_groups(results.groups, goal)
    continued = [position for group in groups for position in group.continued]
    elapsed = find_elapsed_seconds(run.trials)
    measured = sum(trial.started_at is not None for trial in run.trials)
    cost = RunCost(
        blocks=count_blocks(run.trials),
        elapsed_seconds=elapsed,
        next_seconds=elapsed / max(measured, 1) * len(continued),
    )
    run.goal_judgement = decide(groups, goal, cost)
    return continued if run.goal_judgement.state is GoalState.OPEN else []


def _note_failure(session: Session, run_id: UUID) -> None:
    """Count a failed judgement of a run, and end the run after several."""
    locked = repository.lock_run(session, run_id)
    if locked.goal is None or not locked.is_goal_open:
        return
    run = repository.get_run(session, str(run_id))
    judgement = run.goal_judgement or GoalJudgement(GoalState.OPEN, 0)
    failures = judgement.failures + 1
    run.goal_judgement = replace(judgement, failures=failures)
    if failures < _MAX_FAILURES:
        return
    _log.error("run %s ends because its goal could not be judged %d times", run.slug, failures)
    run.goal_judgement = GoalJudgement(
        GoalState.FAILED, count_blocks(run.trials), failures=failures
    )
    trials.cancel_trials(session, trials.lock_unfinished(session, run_id))
    _end(session, run)


def _end(session: Session, run: Run) -> None:
    update_run_status(session, run)
    stream, status = find_stream(session, run), run.status

    def notify() -> None:
        signal_host(stream.host)
        if status in RUN_ENDS:
            publish(stream, EndEvent(status=status))

    after_commit(session, notify)


def _add_block(session: Session, run: Run, continued: Sequence[int]) -> None:
    """Queue another trial of each of these cells, in a seeded random order."""
    run.trials_per_cell += 1
    cells = {cell.position: cell.id for cell in run.cells}
    order = order_block(len(cells), run.trials_per_cell, run.seed)
    block = [(cells[position], run.trials_per_cell) for position in order if position in continued]
    trials.add_trials(session, run, block, run.trials[-1].position + 1)
    queue = run.host.queue

    def notify() -> None:
        # The host may wait for the block, or be idle.
        signal_host(queue)
        wake_up_worker(queue)

    after_commit(session, notify)

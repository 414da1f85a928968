"""A worker leaves a run to the dispatcher when its trials have ended, or its time is over."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import update

from backend.core.changes.finalization.service import finalize_runs
from backend.core.db import unit_of_work
from backend.core.documents import RunGoal
from backend.core.models import Trial
from backend.core.results.goals.service import continue_runs
from backend.core.runs import repository as runs
from backend.core.runs.trials.service import awaits_dispatcher
from backend.tests.factories import ask_run, claim_next, succeed, succeed_next

pytestmark = pytest.mark.usefixtures("database")


def is_left(run_id: UUID, *, trials_only: bool = False) -> bool:
    with unit_of_work() as session:
        return awaits_dispatcher(session, run_id, trials_only=trials_only)


def test_a_run_is_left_to_the_dispatcher_from_its_end_until_it_is_finalized(host_id: UUID) -> None:
    with unit_of_work() as session:
        run_id = ask_run(session, count=2).id
        succeed_next(session, host_id)
    assert not is_left(run_id)

    with unit_of_work() as session:
        succeed_next(session, host_id)
    assert is_left(run_id)
    # A host on another machine need not wait.
    assert not is_left(run_id, trials_only=True)

    finalize_runs()
    assert not is_left(run_id)


def test_nobody_waits_for_the_next_attempt_to_finalize_a_run(host_id: UUID) -> None:
    with unit_of_work() as session:
        run_id = ask_run(session).id
        succeed_next(session, host_id)
        runs.note_failure(session, run_id, "The disk is full.")

    assert not is_left(run_id)


def test_a_run_with_a_goal_is_left_to_the_dispatcher_after_each_block(host_id: UUID) -> None:
    with unit_of_work() as session:
        goal = RunGoal(max_trials=6, max_minutes=30)
        run_id = ask_run(session, ("node", "go-nethttp"), count=None, goal=goal).id
        for _ in range(6):
            succeed_next(session, host_id)
    assert is_left(run_id)
    # The dispatcher may queue further trials.
    assert is_left(run_id, trials_only=True)

    continue_runs()
    finalize_runs()
    assert not is_left(run_id)


def test_a_run_whose_next_trial_would_end_too_late_is_left_to_the_dispatcher(host_id: UUID) -> None:
    with unit_of_work() as session:
        goal = RunGoal(max_trials=6, max_minutes=30)
        run_id = ask_run(session, ("node", "go-nethttp"), count=None, goal=goal).id
        trial = claim_next(session, host_id)
        succeed(session, trial)
    assert not is_left(run_id)

    with unit_of_work() as session:
        earlier = Trial.started_at - timedelta(minutes=29)
        session.execute(update(Trial).where(Trial.id == trial.id).values(started_at=earlier))
    assert is_left(run_id)

"""Stage changes and ends are written in spite of lost database connections."""

from collections.abc import Callable
from uuid import UUID

import pytest

from backend.core.db import unit_of_work
from backend.core.errors import LoadGeneratorDied, TakenOver
from backend.core.models import Trial
from backend.core.runs.status import STAGES
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from backend.tests.factories import claim_next
from worker.pipeline.reporter import Reporter
from worker.stages.assignment import Assignment


def get_trial(trial_id: UUID) -> Trial:
    with unit_of_work() as session:
        return repository.get_trial(session, trial_id)


def test_every_stage_is_written_while_connections_break(
    assignment: Assignment, end_outages: Callable[[], None]
) -> None:
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)
    for stage in STAGES[1:]:
        reporter.enter(stage, is_awaited=stage is not TrialStatus.MEASURING)
    reporter.end(TrialStatus.SUCCEEDED)
    reporter.close()
    end_outages()

    trial = get_trial(assignment.trial_id)
    assert (trial.status, trial.attempt, trial.failure) == ("succeeded", 1, None)
    assert trial.runtime == RuntimeKind.PROCESS
    assert set(trial.stage_seconds) == set(STAGES)
    assert trial.retried_failures == []


def test_a_failure_is_written_once_while_connections_break(
    assignment: Assignment, end_outages: Callable[[], None]
) -> None:
    failure = trials.describe_failure(LoadGeneratorDied("It died."), "building")
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)
    reporter.fail(failure)
    reporter.close()
    end_outages()

    trial = get_trial(assignment.trial_id)
    assert (trial.status, trial.retried_failures) == ("queued", [failure])


def test_a_worker_whose_trial_was_claimed_again_is_refused(assignment: Assignment) -> None:
    with unit_of_work() as session:
        trials.recover_lost(session, repository.get_trial(session, assignment.trial_id).host_id)
    with unit_of_work() as session:
        claim_next(session, repository.get_trial(session, assignment.trial_id).host_id)
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)

    with pytest.raises(TakenOver):
        reporter.enter(TrialStatus.STARTING)
    with pytest.raises(TakenOver):
        reporter.end(TrialStatus.SUCCEEDED)
    reporter.close()

    trial = get_trial(assignment.trial_id)
    assert (trial.status, trial.attempt) == ("building", 2)

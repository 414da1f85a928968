"""Stage changes and ends are written in spite of lost database connections."""

from collections.abc import Callable

import pytest

from backend.core.errors import LoadGeneratorDied, TakenOver
from backend.core.runs.status import STAGES
from backend.core.runs.trials import service as trials
from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from worker.pipeline.reporter import Reporter
from worker.stages.assignment import Assignment
from worker.tests.pipeline.conftest import claim_again, read_trial


def test_every_stage_is_written_while_connections_break(
    assignment: Assignment, end_outages: Callable[[], None]
) -> None:
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)
    for stage in STAGES[1:]:
        reporter.enter(stage, is_awaited=stage is not TrialStatus.MEASURING)
    reporter.end(TrialStatus.SUCCEEDED)
    reporter.close()
    end_outages()

    trial = read_trial(assignment)
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

    trial = read_trial(assignment)
    assert (trial.status, trial.retried_failures) == ("queued", [failure])


def test_a_worker_whose_trial_was_claimed_again_is_refused(assignment: Assignment) -> None:
    claim_again(assignment)
    reporter = Reporter(assignment, "test", RuntimeKind.PROCESS)

    with pytest.raises(TakenOver):
        reporter.enter(TrialStatus.STARTING)
    with pytest.raises(TakenOver):
        reporter.end(TrialStatus.SUCCEEDED)
    reporter.close()

    trial = read_trial(assignment)
    assert (trial.status, trial.attempt) == ("building", 2)

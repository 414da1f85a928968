"""Stage changes and ends are written in spite of lost database connections."""

from collections.abc import Callable, Iterator
from threading import Event, Thread
from uuid import UUID

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.errors import LoadGeneratorDied, TakenOver
from backend.core.models import Trial
from backend.core.runs import repository, trials
from backend.core.runs.status import STAGES
from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind
from backend.tests.factories import add_host, ask_run, claim_next
from worker.pipeline.assignment import read_assignment
from worker.pipeline.reporter import Reporter
from worker.stages.assignment import Assignment

_TERMINATE = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
)


@pytest.fixture
def assignment(database: Settings) -> Assignment:
    assert database.database_url
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session)
        return read_assignment(session, claim_next(session, host.id).id)


@pytest.fixture
def end_outages(database: Settings, assignment: Assignment) -> Iterator[Callable[[], None]]:
    """End the database's connections repeatedly until the returned function is called."""
    assert assignment.attempt == 1
    over = Event()
    engine = create_engine(database.database_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")

    def strike() -> None:
        while not over.wait(0.05):
            try:
                with engine.connect() as connection:
                    connection.execute(_TERMINATE)
            except OperationalError:
                continue

    thread = Thread(target=strike)
    thread.start()

    def end() -> None:
        over.set()
        thread.join()

    yield end
    end()


def get_trial(trial_id: UUID) -> Trial:
    with unit_of_work() as session:
        return repository.get_trial(session, trial_id)


def test_every_stage_is_written_while_connections_break(
    assignment: Assignment, end_outages: Callable[[], None]
) -> None:
    reporter = Reporter(assignment, RuntimeKind.PROCESS)
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
    reporter = Reporter(assignment, RuntimeKind.PROCESS)
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
    reporter = Reporter(assignment, RuntimeKind.PROCESS)

    with pytest.raises(TakenOver):
        reporter.enter(TrialStatus.STARTING)
    with pytest.raises(TakenOver):
        reporter.end(TrialStatus.SUCCEEDED)
    reporter.close()

    trial = get_trial(assignment.trial_id)
    assert (trial.status, trial.attempt) == ("building", 2)

"""A lease is renewed in time, and shows when the trial must stop."""

from datetime import UTC, datetime

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.runs.repository import lock_run
from backend.core.runs.trials import repository
from backend.core.runs.trials import service as trials
from backend.tests.factories import claim_next
from backend.tests.revisions import other_revision
from worker.pipeline.lease import Lease
from worker.stages.assignment import Assignment
from worker.stages.watch import Stop


def read_lease_end(assignment: Assignment) -> datetime:
    with unit_of_work() as session:
        end = repository.get_trial(session, assignment.trial_id).lease_until
    assert end is not None
    return end


def test_a_lease_is_renewed(assignment: Assignment) -> None:
    before = read_lease_end(assignment)

    assert Lease(assignment.claim).find_stop() is None

    assert read_lease_end(assignment) > before


def test_a_migration_stops_the_trial(assignment: Assignment, database: Settings) -> None:
    with other_revision(database.database_url):
        assert Lease(assignment.claim).find_stop() is Stop.UPGRADE


def test_a_cancelled_run_stops_its_trial(assignment: Assignment) -> None:
    with unit_of_work() as session:
        run = lock_run(session, assignment.run_id)
        run.cancel_requested_at = datetime.now(UTC)

    assert Lease(assignment.claim).find_stop() is Stop.CANCELLED


def test_a_trial_that_was_claimed_again_stops_here(assignment: Assignment) -> None:
    lease = Lease(assignment.claim)
    with unit_of_work() as session:
        host_id = repository.get_trial(session, assignment.trial_id).host_id
        trials.recover_lost(session, host_id)
    with unit_of_work() as session:
        claim_next(session, host_id)

    assert lease.find_stop() is Stop.TAKEN_OVER

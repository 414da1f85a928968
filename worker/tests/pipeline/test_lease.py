"""A lease is renewed in time, and shows when the trial must stop."""

from datetime import UTC, datetime

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.runs.repository import lock_run
from backend.tests.revisions import other_revision
from worker.pipeline.lease import Lease
from worker.stages.assignment import Assignment
from worker.stages.watch import Stop
from worker.tests.pipeline.conftest import claim_again, read_trial


def test_a_lease_is_renewed(assignment: Assignment) -> None:
    before = read_trial(assignment).lease_until
    assert before is not None

    assert Lease(assignment.claim).find_stop() is None

    after = read_trial(assignment).lease_until
    assert after is not None
    assert after > before


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
    claim_again(assignment)

    assert lease.find_stop() is Stop.TAKEN_OVER

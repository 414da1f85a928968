"""Trials of lost workers are queued again, but not those of workers after an outage."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, text, update
from sqlalchemy.exc import DBAPIError

from backend.core.db import get_engine, unit_of_work
from backend.core.models import Trial
from backend.core.runs.trials import repository
from backend.tests.factories import add_host, ask_run, claim_next
from worker.dispatcher.recovery import Recovery

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def lost_id() -> UUID:
    """Return a trial whose lease has expired."""
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session)
        trial = claim_next(session, host.id)
        past = func.now() - timedelta(seconds=1)
        session.execute(update(Trial).where(Trial.id == trial.id).values(lease_until=past))
        return trial.id


def read_trial(trial_id: UUID) -> Trial:
    with unit_of_work() as session:
        return repository.get_trial(session, trial_id)


def test_a_trial_with_an_expired_lease_is_queued_again(lost_id: UUID) -> None:
    Recovery().check()

    trial = read_trial(lost_id)
    assert trial.status == "queued"
    (failure,) = trial.retried_failures
    assert (failure.code, failure.cause) == ("worker_lost", "infrastructure")


def test_after_an_outage_workers_have_time_to_renew_their_leases(
    lost_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = {"now": 100.0}
    look = Recovery(lambda: clock["now"])
    real = repository.list_waiting_queues

    def break_off(session: object) -> object:
        with get_engine().connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                    "pg_backend_pid() AND datname = current_database()"
                )
            )
        return real(session)  # type: ignore[arg-type]

    with monkeypatch.context() as outage:
        outage.setattr(repository, "list_waiting_queues", break_off)
        with pytest.raises(DBAPIError):
            look.check()

    look.check()
    assert read_trial(lost_id).status != "queued"
    clock["now"] += 11
    look.check()
    assert read_trial(lost_id).status == "queued"

"""`host.synchronize_credentials` revokes hosts that leave, when their trials have ended."""

from datetime import UTC, datetime

import pytest
import redis
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import Host, Trial
from backend.core.operations.bench_hosts.credentials import HostCredentials, create_credentials
from backend.core.operations.bench_hosts.grants import DISPATCHER_ROLE
from backend.core.operations.host_lifecycle.service import let_host_leave, revoke_leaving_hosts
from backend.core.queue import open_redis
from backend.core.runs import repository
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.service import TrialClaim
from backend.core.statuses import HostStatus, RunStatus, TrialStatus
from backend.tests.factories import add_host, ask_run, claim_next
from worker.dispatcher.tasks import synchronize_credentials


@pytest.fixture
def claimed(database: Settings) -> tuple[HostCredentials, Trial]:
    """A host that leaves, by its credentials, and its current trial. A further trial waits."""
    with unit_of_work() as session:
        host = add_host(session)
        host.joined_at = datetime.now(UTC)
        ask_run(session, count=2)
        trial = claim_next(session, host.id)
        credentials = create_credentials(session, host)
    with unit_of_work() as session:
        let_host_leave(session, session.get_one(Host, trial.host_id))
    return credentials, trial


def connect(database: Settings, credentials: HostCredentials) -> None:
    url = make_url(database.database_url).set(
        username=credentials.database_user, password=credentials.database_password
    )
    create_engine(url, poolclass=NullPool).connect().close()


def ping(database: Settings, credentials: HostCredentials) -> None:
    signed_in = f"{credentials.redis_user}:{credentials.redis_password}"
    with open_redis(f"redis://{signed_in}@{database.redis_url.rpartition('@')[2]}") as client:
        client.ping()


def end(trial: Trial) -> None:
    with unit_of_work() as session:
        trials.end_trial(session, TrialClaim.of(trial), TrialStatus.CANCELLED, stage_seconds={})


def test_a_host_that_leaves_is_revoked_after_its_trial(
    database: Settings, claimed: tuple[HostCredentials, Trial]
) -> None:
    credentials, trial = claimed
    synchronize_credentials()
    connect(database, credentials)
    ping(database, credentials)
    end(trial)

    synchronize_credentials()

    with pytest.raises(OperationalError):
        connect(database, credentials)
    with pytest.raises(redis.AuthenticationError):
        ping(database, credentials)
    with unit_of_work() as session:
        host = session.get_one(Host, trial.host_id)
        assert (host.status, host.leaving_at) == (HostStatus.REVOKED, None)
        assert repository.get_run_row(session, trial.run_id).status is RunStatus.CANCELLED


def test_a_trial_of_a_lost_worker_does_not_keep_its_host(
    claimed: tuple[HostCredentials, Trial],
) -> None:
    _, trial = claimed
    with unit_of_work() as session:
        trials.recover_lost(session, trial.host_id)

    synchronize_credentials()

    with unit_of_work() as session:
        assert session.get_one(Host, trial.host_id).status is HostStatus.REVOKED


def test_the_role_of_the_dispatcher_may_revoke_hosts(
    claimed: tuple[HostCredentials, Trial],
) -> None:
    end(claimed[1])

    with unit_of_work() as session:
        session.execute(text(f"SET LOCAL ROLE {DISPATCHER_ROLE}"))
        assert revoke_leaving_hosts(session) == ["bench-01"]

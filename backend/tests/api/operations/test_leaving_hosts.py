"""PATCH /hosts/{name}: operators let bench hosts leave, which first finish their trials."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, text
from sqlalchemy.exc import OperationalError

from backend.core.catalog.repository import get_host
from backend.core.config import Settings
from backend.core.db import new_session, unit_of_work
from backend.core.models import Trial
from backend.core.operations.bench_hosts.credentials import HostCredentials, create_credentials
from backend.core.operations.host_lifecycle.service import revoke_leaving_hosts
from backend.core.runs.trials import service as trials
from backend.core.runs.trials.repository import list_waiting_queues
from backend.core.runs.trials.service import TrialClaim
from backend.core.statuses import TrialStatus
from backend.tests.accounts import add_member, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.asking import RUNS, body
from backend.tests.core.operations.bench_hosts.conftest import open_engine
from backend.tests.factories import HOST, add_host, ask_run, claim_next
from backend.tests.rows import count_wake_up_messages
from backend.tests.waiting import wait_for_blocked

HOSTS = "/api/v1/hosts"
NEW = "bench-02"
Headers = dict[str, str]


@pytest.fixture
def operator(database: Settings) -> Headers:
    with unit_of_work() as session:
        add_host(session)
        return sign_in(session, add_member(session, is_operator=True))


@pytest.fixture(autouse=True)
def joined(operator: Headers) -> HostCredentials:
    """The credentials of a host that joined with a key."""
    with unit_of_work() as session:
        host = add_host(session, NEW)
        host.joined_at = datetime.now(UTC)
        return create_credentials(session, host)


def change(client: TestClient, headers: Headers, **fields: object) -> dict[str, Any]:
    return document(client.patch(f"{HOSTS}/{NEW}", json=fields, headers=headers))


def claim(count: int = 1) -> Trial:
    """Claim the first trial of a run on the host that joined."""
    with unit_of_work() as session:
        ask_run(session, host=NEW, count=count)
        return claim_next(session, get_host(session, NEW).id)


def end(trial: Trial) -> None:
    with unit_of_work() as session:
        ended = TrialClaim.of(trial)
        trials.end_trial(session, ended, TrialStatus.CANCELLED, stage_seconds={})


def revoke_leaving() -> list[str]:
    with unit_of_work() as session:
        return revoke_leaving_hosts(session)


def check_access(database: Settings, credentials: HostCredentials) -> None:
    """Connect with the credentials of a host; raise OperationalError if they do not work."""
    with open_engine(database.database_url, credentials).connect() as connection:
        connection.execute(text("SELECT 1"))


def test_a_host_without_a_trial_leaves_at_once(
    client: TestClient, operator: Headers, joined: HostCredentials, database: Settings
) -> None:
    run = document(client.post(RUNS, json=body(host=NEW), headers=operator), 202)

    left = change(client, operator, is_leaving=True)

    assert (left["status"], left["is_usable"]) == ("revoked", False)
    with pytest.raises(OperationalError):
        check_access(database, joined)
    shown = document(client.get(f"/api/v1/runs/{run['id']}", headers=operator))
    assert shown["status"] == "cancelled"
    assert change(client, operator, is_leaving=True)["status"] == "revoked"
    kept = client.patch(f"{HOSTS}/{NEW}", json={"is_leaving": False}, headers=operator)
    assert "Create a new key" in problem(kept, 409, "conflict")["detail"]


def test_a_host_that_leaves_finishes_its_trial_and_takes_no_new_one(
    client: TestClient, operator: Headers, joined: HostCredentials, database: Settings
) -> None:
    trial = claim(count=2)

    leaving = change(client, operator, is_leaving=True)

    assert (leaving["status"], leaving["state"], leaving["queued_trials"]) == (
        *("leaving", "leaving"),
        2,
    )
    assert revoke_leaving() == []
    check_access(database, joined)
    with unit_of_work() as session:
        assert trials.claim_next(session, trial.host_id) is None
        assert list_waiting_queues(session) == []
    end(trial)
    with unit_of_work() as session:
        assert trials.claim_next(session, trial.host_id) is None
    assert revoke_leaving() == [NEW]

    items = document(client.get("/api/v1/installation-audit", headers=operator))["items"]
    revoked, left = (item for item in items if item["action"] == "host.changed")
    assert (left["actor"], left["after"]) == ("ada@example.org", {"name": NEW, "is_leaving": True})
    assert revoked["actor"] == "Tacho"
    assert revoked["after"] == {"name": NEW, "is_leaving": False, "is_revoked": True}


def test_a_host_that_leaves_takes_no_new_run(client: TestClient, operator: Headers) -> None:
    claim()

    leaving = change(client, operator, is_leaving=True)

    assert leaving["is_usable"] is False
    refused = client.post(RUNS, json=body(host=NEW), headers=operator)
    assert faults(refused) == {"host": f"Host {NEW!r} is leaving; this workspace may use {HOST}."}
    assert document(client.post(RUNS, json=body(), headers=operator), 202)["host"] == HOST
    with unit_of_work() as session:
        get_host(session, HOST).revoked_at = func.now()
    refused = client.post(RUNS, json=body(), headers=operator)
    assert "are leaving this installation" in problem(refused, 503, "unavailable")["detail"]


def test_the_queue_expects_no_end_of_runs_on_a_host_that_leaves(
    client: TestClient, operator: Headers
) -> None:
    claim(count=2)
    change(client, operator, is_leaving=True)

    hosts = document(client.get("/api/v1/queue", headers=operator))["hosts"]

    [queue] = [queue for queue in hosts if queue["host"] == NEW]
    assert queue["state"] == "leaving"
    assert [run["expected_end_at"] for run in queue["runs"]] == [None]


def test_a_host_that_leaves_can_be_kept(
    client: TestClient, operator: Headers, joined: HostCredentials, database: Settings
) -> None:
    trial = claim(count=2)
    change(client, operator, is_leaving=True)
    sent = count_wake_up_messages(NEW)

    kept = change(client, operator, is_leaving=False)

    assert (kept["status"], kept["state"]) == ("ready", "busy")
    assert count_wake_up_messages(NEW) > sent
    end(trial)
    assert revoke_leaving() == []
    check_access(database, joined)
    with unit_of_work() as session:
        assert trials.claim_next(session, trial.host_id) is not None


def test_a_host_stays_while_it_sends_the_load_of_a_trial(
    client: TestClient, operator: Headers
) -> None:
    with unit_of_work() as session:
        ask_run(session, host=HOST).load_hosts = [NEW]
        trial = claim_next(session, get_host(session, HOST).id)

    assert change(client, operator, is_leaving=True)["status"] == "leaving"
    assert revoke_leaving() == []
    end(trial)

    assert revoke_leaving() == [NEW]


def test_a_host_finishes_a_trial_whose_claim_is_not_committed(
    client: TestClient, operator: Headers
) -> None:
    with unit_of_work() as session:
        ask_run(session, host=NEW)
    with ThreadPoolExecutor(1) as pool, new_session() as session:
        claim_next(session, get_host(session, NEW).id)

        left = pool.submit(change, client, operator, is_leaving=True)
        wait_for_blocked(session)
        session.commit()

        assert left.result()["status"] == "leaving"

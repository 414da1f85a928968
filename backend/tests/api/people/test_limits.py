"""Limits of requests, sign-ins, event streams, queued trials and bench minutes."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, update

from backend.api.access.caller import Caller, Proof
from backend.api.process.rates import StreamLimit
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.errors import LimitExceeded
from backend.core.models import AccessToken, Trial
from backend.core.people.access.actor import Actor
from backend.core.people.accounts import passwords
from backend.core.statuses import TokenScope
from backend.main import create_app
from backend.platform.processes.programs import RunningProgram
from backend.tests.accounts import (
    PASSWORD,
    add_member,
    add_person,
    add_token,
    add_workspace,
    sign_in,
)
from backend.tests.answers import document, problem
from backend.tests.api.browsing import OWN, SESSION, open_browser
from backend.tests.api.browsing import sign_in as sign_in_with_password
from backend.tests.api.conftest import HERE
from backend.tests.asking import RUNS, body
from backend.tests.factories import succeed_next

LIMITS = "/api/v1/limits"
READ = "/api/v1/runs"
ELSEWHERE = ("198.51.100.7", 4321)


@contextmanager
def serve(
    monkeypatch: pytest.MonkeyPatch, client: tuple[str, int] = ELSEWHERE, **limits: str
) -> Iterator[TestClient]:
    """Open a client of an app with other settings."""
    for name, value in limits.items():
        monkeypatch.setenv(f"TACHO_{name.upper()}", value)
    get_settings.cache_clear()
    try:
        with TestClient(create_app(), HERE, client=client) as opened:
            yield opened
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests guess hundreds of passwords."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(1, memory_cost=8, parallelism=1))


def list_limits(client: TestClient, headers: dict[str, str]) -> dict[str, tuple[int | None, float]]:
    items = document(client.get(LIMITS, headers=headers))["items"]
    return {each["name"]: (each["limit"], each["used"]) for each in items}


def test_requests_of_an_address_are_limited_until_the_minute_has_passed(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(monkeypatch, limit_requests="5") as client:
        # Requests with wrong parameters count too.
        wrong = [client.get(f"{READ}?limit=0"), client.get(f"{READ}?cursor=wrong")]
        answers = [*wrong, *(client.get(READ) for _ in range(4))]
        refused = problem(answers[5], 429, "limit_exceeded")
        health = client.get("/api/v1/health")

    assert [answer.status_code for answer in answers[:5]] == [422] * 2 + [200] * 3
    assert "5 requests in one minute" in refused["detail"]
    assert 1 <= int(answers[5].headers["retry-after"]) <= 60
    assert refused["retry_after_seconds"] == int(answers[5].headers["retry-after"])
    assert health.status_code != 429


def test_people_and_workspace_tokens_have_limits_of_their_own(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unit_of_work() as session:
        ada = add_member(session)
        browser, personal = sign_in(session, ada), add_token(session, ada, TokenScope.READ)
        script = add_token(session, None, TokenScope.READ)
    with serve(monkeypatch, limit_requests="4") as client:
        # A personal token counts as its person.
        mine = [client.get(READ, headers=own) for own in (browser, personal) * 3]
        others = [client.get(READ, headers=own) for own in (script, {})]
        shown = list_limits(client, script)

    assert [answer.status_code for answer in mine] == [200] * 4 + [429] * 2
    assert [answer.status_code for answer in others] == [200, 200]
    assert shown["computing_seconds"][0] == 30
    assert 0 <= shown["computing_seconds"][1] < 30
    assert shown["requests"] == (4, 2)


def test_a_revoked_token_counts_as_its_address(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unit_of_work() as session:
        ada = add_member(session)
        browser, token = sign_in(session, ada), add_token(session, ada, TokenScope.READ)
    with serve(monkeypatch, limit_requests="4") as client:
        before = [client.get(READ, headers=token).status_code for _ in range(2)]
        with unit_of_work() as session:
            session.execute(update(AccessToken).values(revoked_at=func.now()))
        after = [client.get(READ, headers=token).status_code for _ in range(5)]
        own = [client.get(READ, headers=browser).status_code for _ in range(2)]

    assert before == [200, 200]
    assert after == [200, 200, 200, 200, 429]
    # The first request after the revocation counted for the person too.
    assert own == [200, 429]


def test_the_local_owner_the_token_of_the_installation_and_zero_mean_no_limit(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(monkeypatch, ("127.0.0.1", 5000), limit_requests="2") as client:
        local = [client.get(READ).status_code for _ in range(4)]
        shown = list_limits(client, {})
    with serve(monkeypatch, limit_requests="2", token="a-long-token") as client:
        bearer = {"Authorization": "Bearer a-long-token"}
        scripts = [client.get(READ, headers=bearer).status_code for _ in range(4)]

    with serve(monkeypatch, limit_requests="0") as client:
        visits = [client.get(READ).status_code for _ in range(4)]

    assert local == scripts == visits == [200] * 4
    assert shown["requests"] == (None, 0)


def test_requests_are_limited_while_redis_does_not_answer(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:9/0")
    with serve(monkeypatch, limit_requests="2") as client:
        assert [client.get(READ).status_code for _ in range(4)] == [200, 200, 429, 429]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["ended", "hangs"])
def test_passwords_cannot_be_guessed_without_redis(
    own_redis: RunningProgram, monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    with unit_of_work() as session:
        headers = sign_in(session, add_person(session))
    with serve(monkeypatch) as client:
        wrong = sign_in_with_password(client, "ada@example.org", "a wrong password")
        assert wrong.status_code == 401
        os.kill(own_redis.pid, end)
        try:
            answers = [
                sign_in_with_password(client, f"person-{number}@example.org")
                for number in range(40)
            ]
            right = sign_in_with_password(client, "ada@example.org", PASSWORD)
            # People who are signed in notice nothing.
            assert client.get(READ, headers=headers).status_code == 200
        finally:
            with suppress(ProcessLookupError):
                os.kill(own_redis.pid, signal.SIGCONT)

    # The process counts from zero when Redis ends.
    assert [answer.status_code for answer in answers] == [401] * 30 + [429] * 10
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert "sign-ins failed" in problem(right, 429, "limit_exceeded")["detail"]


def test_reset_links_are_limited_without_redis(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:9/0")
    with serve(
        monkeypatch,
        public_url="https://tacho.example.org",
        smtp_url="smtp://127.0.0.1:9",
        mail_from="tacho@example.org",
    ) as client:
        statuses = [
            client.post(
                "/api/v1/links/reset", json={"email": f"person-{number}@example.org"}
            ).status_code
            for number in range(22)
        ]

    assert statuses == [204] * 20 + [429] * 2


def test_passwords_cannot_be_guessed_from_one_address(
    app: FastAPI, database: Settings, host_id: UUID
) -> None:
    with unit_of_work() as session:
        ada = add_person(session)
        headers = sign_in(session, ada)
    with open_browser(app) as browser:
        for number in range(30):
            email = f"person-{number}@example.org"
            assert sign_in_with_password(browser, email).status_code == 401
        right = sign_in_with_password(browser, "ada@example.org", PASSWORD)
        refused = problem(right, 429, "limit_exceeded")
        # People who are signed in notice nothing.
        assert browser.get(READ, headers=headers).status_code == 200
    with TestClient(app, HERE, client=ELSEWHERE) as other:
        assert other.post(
            SESSION, json={"email": "ada@example.org", "password": PASSWORD}
        ).is_success

    assert "sign-ins failed" in refused["detail"]
    assert int(right.headers["retry-after"]) >= 1


def test_one_account_cannot_be_guessed_from_many_addresses(
    app: FastAPI, database: Settings
) -> None:
    with unit_of_work() as session:
        add_member(session)
    wrong = {"email": "Ada@example.org", "password": "wrong password"}
    statuses = []
    for network in range(2):
        with TestClient(app, HERE, client=(f"198.51.100.{network}", 1)) as client:
            statuses += [client.post(SESSION, json=wrong).status_code for _ in range(26)]

    assert statuses == [401] * 50 + [429] * 2


def test_the_token_of_the_installation_cannot_be_guessed(
    database: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(monkeypatch, token="short") as client:
        for number in range(30):
            wrong = {"Authorization": f"Bearer guess-{number}"}
            assert client.delete("/api/v1/examples", headers=wrong).status_code == 401
        right = client.delete("/api/v1/examples", headers={"Authorization": "Bearer short"})
        form = client.post(SESSION, json={"token": "short"}, headers=OWN)

    problem(right, 429, "limit_exceeded")
    problem(form, 429, "limit_exceeded")


def test_the_current_password_cannot_be_guessed_with_a_stolen_session(
    client: TestClient,
) -> None:
    with unit_of_work() as session:
        headers = sign_in(session, add_person(session))
    passwords = {"current": "wrong password", "new": "a new long password"}
    statuses = [
        client.put("/api/v1/account/password", json=passwords, headers=headers).status_code
        for _ in range(31)
    ]

    assert statuses == [422] * 30 + [429]


def test_streams_count_until_they_are_closed() -> None:
    limit = StreamLimit(2)
    visitor = Caller(Actor("anonymous visitor", address="198.51.100.7"))
    other = Caller(Actor("anonymous visitor", address="198.51.100.8"))
    first, second = limit.open(visitor.limit_key), limit.open(visitor.limit_key)
    with pytest.raises(LimitExceeded, match="2 event streams"):
        limit.open(visitor.limit_key)
    limit.open(other.limit_key)
    first.close()
    first.close()
    assert limit.count(visitor.limit_key) == 1
    third = limit.open(visitor.limit_key)
    second.close()
    third.close()

    assert limit.count(visitor.limit_key) == 0
    owner = Caller(Actor("local owner", address="127.0.0.1"), proof=Proof.LOOPBACK)
    assert [limit.open(owner.limit_key) for _ in range(3)]


def test_an_ended_stream_no_longer_counts(
    client: TestClient, host_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = document(client.post(RUNS, json=body(visibility="public")), 202)
    client.post(f"{RUNS}/{run['id']}/cancel")
    with serve(monkeypatch, limit_streams="1") as visitor:
        for _ in range(3):
            assert visitor.get(f"{RUNS}/{run['id']}/events").status_code == 200


def test_an_operator_limits_the_queue_of_a_workspace(client: TestClient, host_id: UUID) -> None:
    with unit_of_work() as session:
        add_workspace(session)
    limits = document(client.patch("/api/v1/workspaces/main", json={"max_queued_trials": 3}))
    first = client.post(RUNS, json=body(trials=2))
    second = client.post(RUNS, json=body(trials=2))
    large = client.post(RUNS, json=body(trials=4))
    other = client.post(RUNS, json=body(trials=4), headers={"Tacho-Workspace": "other"})

    assert (limits["max_queued_trials"], limits["max_bench_minutes"]) == (3, None)
    assert first.status_code == other.status_code == 202
    refused = problem(second, 429, "limit_exceeded")
    assert "may queue 3 trials. 2 are queued" in refused["detail"]
    assert int(second.headers["retry-after"]) == 60
    assert problem(large, 413, "too_large")["field"] == "trials"
    assert list_limits(client, {})["queued_trials"] == (3, 2)

    client.post(f"{RUNS}/{first.json()['id']}/cancel")
    assert client.post(RUNS, json=body(trials=2)).status_code == 202
    default = document(client.patch("/api/v1/workspaces/main", json={"max_queued_trials": None}))
    assert (default["name"], default["max_queued_trials"]) == ("Main", None)


def test_bench_minutes_are_free_again_after_a_day(client: TestClient, host_id: UUID) -> None:
    run = document(client.post(RUNS, json=body(trials=1)), 202)
    with unit_of_work() as session:
        trial_id = succeed_next(session, host_id).id
        now = datetime.now(UTC)
        session.execute(
            update(Trial)
            .where(Trial.id == trial_id)
            .values(
                started_at=now - timedelta(hours=23, minutes=30),
                finished_at=now - timedelta(hours=23),
            )
        )
    assert run["id"]
    client.patch("/api/v1/workspaces/main", json={"max_bench_minutes": 30})
    refused = client.post(RUNS, json=body(trials=1))
    problem(refused, 429, "limit_exceeded")
    # After an hour, all minutes of this trial are a day old; the new run needs less than all.
    assert 30 * 60 <= int(refused.headers["retry-after"]) <= 3600
    limit, used = list_limits(client, {})["bench_minutes"]
    assert limit == 30
    assert used == pytest.approx(30, abs=0.1)

    client.patch("/api/v1/workspaces/main", json={"max_bench_minutes": 32})
    assert client.post(RUNS, json=body(trials=1)).status_code == 202
    client.patch("/api/v1/workspaces/main", json={"max_bench_minutes": 1})
    assert problem(client.post(RUNS, json=body(trials=50)), 413, "too_large")["field"] == "trials"

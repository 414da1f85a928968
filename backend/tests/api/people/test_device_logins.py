"""/device-logins: a terminal gets an access token that a person approves in the browser."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import Executable, delete, func, select, update

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.models import AccessToken, AuditEvent, Membership, User
from backend.core.people.access.keys import hash_key
from backend.core.queue import get_redis
from backend.core.statuses import Role, TokenScope
from backend.tests.accounts import add_member, add_token, add_user, add_workspace, sign_in
from backend.tests.answers import document, faults, problem
from backend.tests.api.access.test_writing import bearer
from backend.tests.installation import forget_cached

LOGINS = "/api/v1/device-logins"
TOKENS = "/api/v1/tokens"


@pytest.fixture
def ada(database: Settings) -> dict[str, str]:
    """The headers of the browser of a member."""
    with unit_of_work() as session:
        return sign_in(session, add_member(session, role=Role.MEMBER))


def start(client: TestClient, scope: str = "run") -> dict[str, Any]:
    sent = {"client_name": "tacho on laptop", "scope": scope}
    return document(client.post(LOGINS, json=sent), 201)


def pick_up(client: TestClient, started: dict[str, Any], *, in_time: bool = True) -> Response:
    """Request the token, by default after the interval."""
    if in_time:
        get_redis().delete(f"{_name(started)}:pause")
    sent = {"device_code": started["device_code"]}
    return client.post(f"{LOGINS}/token", json=sent)


def decide(
    client: TestClient, headers: dict[str, str], started: dict[str, Any], **fields: Any
) -> Response:
    sent = {"user_code": started["user_code"], "approve": True, **fields}
    return client.post(f"{LOGINS}/decide", json=sent, headers=headers)


def read(client: TestClient, headers: dict[str, str], user_code: str) -> Response:
    return client.post(f"{LOGINS}/read", json={"user_code": user_code}, headers=headers)


def _name(started: dict[str, Any]) -> str:
    return f"tacho:device-login:{hash_key(started['device_code'])}"


def test_an_approved_terminal_gets_a_token_of_the_person_once(
    client: TestClient, visitor: TestClient, ada: dict[str, str]
) -> None:
    started = start(visitor)
    assert re.fullmatch("[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", started["user_code"])
    assert started["verification_url"] == "http://127.0.0.1:8000/device"
    assert (started["expires_in"], started["interval"]) == (600, 5)
    assert document(pick_up(visitor, started)) == {"status": "pending"}

    typed = started["user_code"].lower().replace("-", " ")
    shown = document(read(client, ada, typed))
    assert (shown["client_name"], shown["address"]) == ("tacho on laptop", "203.0.113.5")
    assert shown["scope"] == "run"
    document(decide(client, ada, started))
    answer = pick_up(visitor, started)

    made = document(answer)
    again = problem(pick_up(visitor, started), 404, "not_found")
    assert "expired or has ended" in again["detail"]
    assert answer.headers["cache-control"] == "private, no-store"
    assert (made["workspace"], made["scope"]) == ("main", "run")
    left = datetime.fromisoformat(made["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)
    [listed] = document(client.get(TOKENS, headers=ada))["items"]
    assert (listed["name"], listed["owner"]) == ("tacho on laptop", "me")
    shown = document(visitor.get("/api/v1/session", headers=bearer(made["token"])))
    assert shown["user"]["email"] == "ada@example.org"
    assert shown["permissions"] == ["open", "view", "guard", "run"]
    with unit_of_work() as session:
        query = select(AuditEvent).where(AuditEvent.action == "access_token.created")
        [event] = session.scalars(query)
        assert event.actor == "ada@example.org"
        assert event.address == "203.0.113.5"


def test_no_secret_is_in_redis(client: TestClient, ada: dict[str, str]) -> None:
    started = start(client)
    document(decide(client, ada, started))

    stored = {key: get_redis().get(key) for key in get_redis().keys("tacho:device-login*")}

    assert stored
    letters = started["user_code"].replace("-", "")
    for secret in (started["device_code"], started["user_code"], letters, "tacho_"):
        assert secret not in str(stored)
    assert 0 < get_redis().ttl(_name(started)) <= 600


def test_a_code_is_decided_once(client: TestClient, ada: dict[str, str]) -> None:
    started = start(client)
    document(decide(client, ada, started, approve=False))

    problem(decide(client, ada, started), 404, "not_found")
    problem(read(client, ada, started["user_code"]), 404, "not_found")
    assert "was denied" in problem(pick_up(client, started), 403, "forbidden")["detail"]
    problem(pick_up(client, started), 404, "not_found")
    assert document(client.get(TOKENS, headers=ada))["items"] == []


def test_an_expired_sign_in_has_no_token(client: TestClient, ada: dict[str, str]) -> None:
    undecided, approved = start(client), start(client)
    document(decide(client, ada, approved))
    for started in (undecided, approved):
        get_redis().pexpire(_name(started), 0)

    problem(read(client, ada, undecided["user_code"]), 404, "not_found")
    problem(decide(client, ada, undecided), 404, "not_found")
    problem(pick_up(client, undecided), 404, "not_found")
    problem(pick_up(client, approved), 404, "not_found")


def test_calls_below_the_interval_are_refused(client: TestClient, ada: dict[str, str]) -> None:
    started = start(client)
    assert document(pick_up(client, started, in_time=False))["status"] == "pending"

    refused = pick_up(client, started, in_time=False)

    assert "at most once in 5 s" in problem(refused, 429, "limit_exceeded")["detail"]
    assert refused.headers["retry-after"] == "5"
    pause_ms = get_redis().pttl(f"{_name(started)}:pause")
    assert 0 < pause_ms <= 5000
    assert document(pick_up(client, started)) == {"status": "pending"}


def test_codes_cannot_be_guessed(visitor: TestClient, ada: dict[str, str]) -> None:
    started = start(visitor)

    for _ in range(15):
        problem(read(visitor, ada, "BBBB-BBBB"), 404, "not_found")
        problem(decide(visitor, ada, {"user_code": "CCCC-CCCC"}), 404, "not_found")

    problem(read(visitor, ada, started["user_code"]), 429, "limit_exceeded")
    told = problem(decide(visitor, ada, started), 429, "limit_exceeded")
    assert told["detail"].startswith("Too many codes were wrong in the last 15 minutes.")
    # They do not keep the person from signing in with a password.
    wrong = {"email": "ada@example.org", "password": "not the password"}
    problem(visitor.post("/api/v1/session", json=wrong, headers=ada), 401, "unauthorized")


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (delete(Membership), "not a member of the workspace any more"),
        (update(User).values(disabled_at=func.now()), "not a member of the workspace any more"),
        (
            update(Membership).values(role=Role.VIEWER),
            "Your role viewer does not allow a token with the scope 'run'.",
        ),
    ],
)
def test_a_person_who_loses_the_right_after_the_approval_gives_no_token(
    client: TestClient, ada: dict[str, str], loss: Executable, text: str
) -> None:
    started = start(client)
    document(decide(client, ada, started))
    with unit_of_work() as session:
        session.execute(loss)

    refused = pick_up(client, started)

    assert refused.status_code in {403, 422}
    assert text in refused.text
    problem(pick_up(client, started), 404, "not_found")
    with unit_of_work() as session:
        assert session.scalars(select(AccessToken)).all() == []


def test_the_scope_is_at_most_what_the_role_allows(client: TestClient, ada: dict[str, str]) -> None:
    started = start(client, "manage")

    assert "scope" in faults(decide(client, ada, started))
    assert "scope" in faults(decide(client, ada, started, scope="manage"))
    document(decide(client, ada, started, scope="read"))

    assert document(pick_up(client, started))["scope"] == "read"


def test_the_token_is_for_the_workspace_of_the_approval(client: TestClient) -> None:
    with unit_of_work() as session:
        add_workspace(session, "other")
        person = add_member(session, role=Role.OWNER)
        add_member(session, role=Role.VIEWER, workspace="other")
        headers = sign_in(session, person) | {"Tacho-Workspace": "other"}
    started = start(client)

    assert "scope" in faults(decide(client, headers, started))
    document(decide(client, headers, started, scope="read"))

    made = document(pick_up(client, started))
    assert made["workspace"] == "other"
    shown = document(client.get("/api/v1/session", headers=bearer(made["token"])))
    assert [own["slug"] for own in shown["workspaces"]] == ["other"]


def test_only_a_person_in_the_browser_decides(client: TestClient, ada: dict[str, str]) -> None:
    with unit_of_work() as session:
        member = session.scalars(select(User)).one()
        token = add_token(session, member, TokenScope.MANAGE)
        outsider = sign_in(session, add_user(session, "op@example.org"))
    started = start(client)

    problem(read(client, token, started["user_code"]), 403, "forbidden")
    problem(decide(client, token, started), 403, "forbidden")
    problem(decide(client, {}, started), 401, "unauthorized")
    foreign = ada | {"Origin": "https://evil.example"}
    problem(decide(client, foreign, started), 401, "unauthorized")
    problem(decide(client, outsider, started), 403, "forbidden")
    assert document(pick_up(client, started)) == {"status": "pending"}


def test_an_installation_without_accounts_starts_no_sign_in(client: TestClient) -> None:
    sent = {"client_name": "tacho on laptop", "scope": "run"}

    refused = problem(client.post(LOGINS, json=sent), 409, "conflict")

    assert "no accounts" in refused["detail"]


def test_invalid_sign_ins_are_refused(client: TestClient, ada: dict[str, str]) -> None:
    sent = {"client_name": "a\x1b[2J", "scope": "own"}

    assert faults(client.post(LOGINS, json=sent)).keys() == {"client_name", "scope"}


def test_an_outage_of_redis_is_explained(
    client: TestClient, ada: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = {"client_name": "tacho", "scope": "run"}
    with monkeypatch.context() as patch:
        patch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
        forget_cached()
        refused = problem(client.post(LOGINS, json=sent), 503, "unavailable")
    forget_cached()

    assert "Redis does not answer" in refused["detail"]


def test_a_token_revokes_itself(client: TestClient, ada: dict[str, str]) -> None:
    started = start(client)
    document(decide(client, ada, started))
    own = bearer(document(pick_up(client, started))["token"])

    problem(client.delete(f"{TOKENS}/current", headers=ada), 409, "conflict")
    assert client.delete(f"{TOKENS}/current", headers=own).status_code == 204

    refused = problem(client.get(TOKENS, headers=own), 401, "unauthorized")
    assert "was revoked" in refused["detail"]

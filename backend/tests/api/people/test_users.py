"""Operators manage the users of the installation, and people manage their own account."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.statuses import Role
from backend.tests.accounts import PASSWORD, add_person
from backend.tests.answers import document, faults, problem
from backend.tests.api.browsing import OWN, SESSION, open_browser, sign_in
from backend.tests.late_writes import write_now

ACCOUNT = "/api/v1/account"
SESSIONS = f"{ACCOUNT}/sessions"
NEW = "another long password"
USERS = "/api/v1/users"
OPERATOR = "op@example.org"


@pytest.fixture
def browser(app: FastAPI, database: Settings) -> Iterator[TestClient]:
    """A browser in which an operator is signed in. Ada owns the first workspace."""
    with unit_of_work() as session:
        add_person(session, OPERATOR, role=None, is_operator=True)
        add_person(session, role=Role.OWNER)
    with open_browser(app) as client:
        sign_in(client, OPERATOR)
        yield client


def find_id(browser: TestClient, email: str) -> str:
    (found,) = document(browser.get(USERS, params={"search": email}))["items"]
    identifier: str = found["id"]
    return identifier


def test_users_are_listed_searched_and_paged(browser: TestClient) -> None:
    document(browser.get(USERS))
    write_now(browser)

    listed = document(browser.get(USERS))["items"]

    operator, ada = listed
    assert (operator["email"], operator["is_operator"], operator["roles"]) == (OPERATOR, True, [])
    assert operator["last_seen_at"] is not None
    assert ada["roles"] == [{"workspace": "main", "role": "owner"}]
    assert (ada["disabled_at"], ada["last_seen_at"]) == (None, None)
    assert "password" not in str(listed)
    first = document(browser.get(USERS, params={"limit": 1}))
    second = document(browser.get(USERS, params={"limit": 1, "cursor": first["next"]}))
    assert [first["items"], second["items"], second["next"]] == [[operator], [ada], None]
    assert document(browser.get(USERS, params={"search": "ADA"}))["items"] == [ada]


def test_only_operators_manage_users(app: FastAPI, browser: TestClient) -> None:
    url = f"{USERS}/{find_id(browser, 'ada')}"
    with open_browser(app) as owner:
        problem(owner.get(USERS), 401, "unauthorized")
        sign_in(owner)
        for answer in (
            owner.get(USERS),
            owner.patch(url, json={"is_operator": True}, headers=OWN),
            owner.post(f"{url}/password-reset", headers=OWN),
        ):
            assert "Only operators" in problem(answer, 403, "forbidden")["detail"]


def test_disabling_ends_a_session_and_prevents_signing_in(
    app: FastAPI, browser: TestClient
) -> None:
    url = f"{USERS}/{find_id(browser, 'ada')}"
    with open_browser(app) as ada:
        sign_in(ada)
        disabled = document(browser.patch(url, json={"disabled": True}, headers=OWN))

        assert disabled["disabled_at"] is not None
        assert document(ada.get(SESSION))["proof"] is None
        problem(sign_in(ada), 401, "unauthorized")
        enabled = document(browser.patch(url, json={"disabled": False}, headers=OWN))
        assert enabled["disabled_at"] is None
        assert document(ada.get(SESSION))["proof"] is None
        document(sign_in(ada))


@pytest.mark.parametrize("change", [{"is_operator": False}, {"disabled": True}])
def test_the_last_operator_stays(browser: TestClient, change: dict[str, bool]) -> None:
    own = f"{USERS}/{find_id(browser, OPERATOR)}"
    ada = f"{USERS}/{find_id(browser, 'ada')}"
    refused = problem(browser.patch(own, json=change, headers=OWN), 409, "conflict")

    promoted = document(browser.patch(ada, json={"is_operator": True}, headers=OWN))

    assert "last operator" in refused["detail"]
    assert promoted["is_operator"] is True
    document(browser.patch(own, json=change, headers=OWN))
    assert browser.get(USERS).status_code in {401, 403}


def test_a_reset_link_is_for_the_page_of_this_installation(browser: TestClient) -> None:
    url = f"{USERS}/{find_id(browser, 'ada')}/password-reset"
    created = document(browser.post(url, headers=OWN), 201)

    page, _, key = created["url"].partition("#")
    assert page == "https://tacho.example/join"
    read = document(browser.post("/api/v1/links/read", json={"key": key}))
    assert (read["purpose"], read["email"]) == ("password_reset", "ada@example.org")
    assert read["expires_at"] == created["expires_at"]


def test_an_unknown_user_is_not_found(browser: TestClient) -> None:
    url = f"{USERS}/{uuid4()}"
    problem(browser.patch(url, json={}, headers=OWN), 404, "not_found")
    problem(browser.post(f"{url}/password-reset", headers=OWN), 404, "not_found")


@pytest.fixture
def ada_browser(app: FastAPI, database: Settings) -> Iterator[TestClient]:
    """A browser in which Ada is signed in."""
    with unit_of_work() as session:
        add_person(session)
    with open_browser(app) as client:
        sign_in(client)
        yield client


def is_signed_in(ada_browser: TestClient) -> bool:
    proof: str | None = document(ada_browser.get(SESSION))["proof"]
    return proof == "session"


def test_a_person_changes_the_name(ada_browser: TestClient) -> None:
    changed = document(ada_browser.patch(ACCOUNT, json={"name": "Ada L."}, headers=OWN))

    assert (changed["name"], changed["email"]) == ("Ada L.", "ada@example.org")
    assert document(ada_browser.get(SESSION))["user"]["name"] == "Ada L."
    assert "name" in faults(ada_browser.patch(ACCOUNT, json={"name": ""}, headers=OWN))


def test_a_new_password_ends_the_sessions_of_other_browsers(
    ada_browser: TestClient, app: FastAPI
) -> None:
    with open_browser(app) as other:
        sign_in(other)
        given = {"current": PASSWORD, "new": NEW}
        answer = ada_browser.put(f"{ACCOUNT}/password", json=given, headers=OWN)

        assert answer.status_code == 204
        assert is_signed_in(ada_browser)
        assert not is_signed_in(other)
        problem(sign_in(other, password=PASSWORD), 401, "unauthorized")
        document(sign_in(other, password=NEW))


def test_a_new_password_needs_the_current_one_and_ten_characters(ada_browser: TestClient) -> None:
    url = f"{ACCOUNT}/password"
    wrong = ada_browser.put(url, json={"current": "wrong", "new": NEW}, headers=OWN)
    short = ada_browser.put(url, json={"current": PASSWORD, "new": "too short"}, headers=OWN)

    assert faults(wrong) == {"current": "is not your current password; correct it."}
    assert list(faults(short)) == ["new"]


def test_a_person_lists_and_revokes_the_own_sessions(ada_browser: TestClient, app: FastAPI) -> None:
    with open_browser(app) as other:
        other.headers["User-Agent"] = "Other browser"
        sign_in(other)
        listed = document(ada_browser.get(SESSIONS))["items"]
        by_current = {item["is_current"]: item for item in listed}

        assert len(listed) == 2
        assert by_current[False]["user_agent"] == "Other browser"
        assert by_current[False]["address"] == "203.0.113.5"
        url = f"{SESSIONS}/{by_current[False]['id']}"
        assert ada_browser.delete(url, headers=OWN).status_code == 204
        assert not is_signed_in(other)
        assert is_signed_in(ada_browser)
        problem(ada_browser.delete(url, headers=OWN), 404, "not_found")


def test_a_person_cannot_revoke_the_session_of_another(
    ada_browser: TestClient, app: FastAPI
) -> None:
    with unit_of_work() as session:
        add_person(session, "bob@example.org")
    (own,) = document(ada_browser.get(SESSIONS))["items"]
    with open_browser(app) as other:
        sign_in(other, "bob@example.org")
        problem(other.delete(f"{SESSIONS}/{own['id']}", headers=OWN), 404, "not_found")
    assert is_signed_in(ada_browser)


def test_callers_without_an_account_have_none_to_manage(
    client: TestClient, visitor: TestClient
) -> None:
    problem(visitor.get(SESSIONS), 401, "unauthorized")
    problem(visitor.patch(ACCOUNT, json={"name": "Ada"}), 401, "unauthorized")
    refused = problem(client.get(SESSIONS), 403, "forbidden")
    assert "signed in with an account" in refused["detail"]


def test_a_page_of_another_site_cannot_change_the_account(ada_browser: TestClient) -> None:
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    given = {"current": PASSWORD, "new": NEW}

    problem(
        ada_browser.put(f"{ACCOUNT}/password", json=given, headers=foreign), 401, "unauthorized"
    )
    problem(ada_browser.patch(ACCOUNT, json={"name": "Eve"}, headers=foreign), 401, "unauthorized")

"""People manage their own account in the browser: name, password and sessions."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.tests.accounts import PASSWORD, add_person
from backend.tests.answers import document, faults, problem
from backend.tests.api.browsing import OWN, SESSION, open_browser, sign_in

ACCOUNT = "/api/v1/account"
SESSIONS = f"{ACCOUNT}/sessions"
NEW = "another long password"


@pytest.fixture
def browser(app: FastAPI, database: Settings) -> Iterator[TestClient]:
    """A browser in which Ada is signed in."""
    with unit_of_work() as session:
        add_person(session)
    with open_browser(app) as client:
        sign_in(client)
        yield client


def is_signed_in(browser: TestClient) -> bool:
    proof: str | None = document(browser.get(SESSION))["proof"]
    return proof == "session"


def test_a_person_changes_the_name(browser: TestClient) -> None:
    changed = document(browser.patch(ACCOUNT, json={"name": "Ada L."}, headers=OWN))

    assert (changed["name"], changed["email"]) == ("Ada L.", "ada@example.org")
    assert document(browser.get(SESSION))["user"]["name"] == "Ada L."
    assert "name" in faults(browser.patch(ACCOUNT, json={"name": ""}, headers=OWN))


def test_a_new_password_ends_the_sessions_of_other_browsers(
    browser: TestClient, app: FastAPI
) -> None:
    with open_browser(app) as other:
        sign_in(other)
        given = {"current": PASSWORD, "new": NEW}
        answer = browser.put(f"{ACCOUNT}/password", json=given, headers=OWN)

        assert answer.status_code == 204
        assert is_signed_in(browser)
        assert not is_signed_in(other)
        problem(sign_in(other, password=PASSWORD), 401, "unauthorized")
        document(sign_in(other, password=NEW))


def test_a_new_password_needs_the_current_one_and_ten_characters(browser: TestClient) -> None:
    url = f"{ACCOUNT}/password"
    wrong = browser.put(url, json={"current": "wrong", "new": NEW}, headers=OWN)
    short = browser.put(url, json={"current": PASSWORD, "new": "too short"}, headers=OWN)

    assert faults(wrong) == {"current": "is not your current password; correct it."}
    assert list(faults(short)) == ["new"]


def test_a_person_lists_and_revokes_the_own_sessions(browser: TestClient, app: FastAPI) -> None:
    with open_browser(app) as other:
        other.headers["User-Agent"] = "Other browser"
        sign_in(other)
        listed = document(browser.get(SESSIONS))["items"]
        by_current = {item["is_current"]: item for item in listed}

        assert len(listed) == 2
        assert by_current[False]["user_agent"] == "Other browser"
        assert by_current[False]["address"] == "203.0.113.5"
        url = f"{SESSIONS}/{by_current[False]['id']}"
        assert browser.delete(url, headers=OWN).status_code == 204
        assert not is_signed_in(other)
        assert is_signed_in(browser)
        problem(browser.delete(url, headers=OWN), 404, "not_found")


def test_a_person_cannot_revoke_the_session_of_another(browser: TestClient, app: FastAPI) -> None:
    with unit_of_work() as session:
        add_person(session, "bob@example.org")
    (own,) = document(browser.get(SESSIONS))["items"]
    with open_browser(app) as other:
        sign_in(other, "bob@example.org")
        problem(other.delete(f"{SESSIONS}/{own['id']}", headers=OWN), 404, "not_found")
    assert is_signed_in(browser)


def test_callers_without_an_account_have_none_to_manage(
    client: TestClient, visitor: TestClient
) -> None:
    problem(visitor.get(SESSIONS), 401, "unauthorized")
    problem(visitor.patch(ACCOUNT, json={"name": "Ada"}), 401, "unauthorized")
    refused = problem(client.get(SESSIONS), 403, "forbidden")
    assert "signed in with an account" in refused["detail"]


def test_a_page_of_another_site_cannot_change_the_account(browser: TestClient) -> None:
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    given = {"current": PASSWORD, "new": NEW}

    problem(browser.put(f"{ACCOUNT}/password", json=given, headers=foreign), 401, "unauthorized")
    problem(browser.patch(ACCOUNT, json={"name": "Eve"}, headers=foreign), 401, "unauthorized")

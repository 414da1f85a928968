"""Operators manage the users of the installation."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.statuses import Role
from backend.tests.accounts import add_person
from backend.tests.answers import document, problem
from backend.tests.api.browsing import OWN, SESSION, open_browser, sign_in
from backend.tests.late_writes import write_now

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


def test_users_are_listed_with_their_roles(browser: TestClient) -> None:
    document(browser.get(USERS))
    write_now(browser)

    listed = document(browser.get(USERS))["items"]

    operator, ada = listed
    assert (operator["email"], operator["is_operator"], operator["roles"]) == (OPERATOR, True, [])
    assert operator["last_seen_at"] is not None
    assert ada["roles"] == [{"workspace": "main", "role": "owner"}]
    assert (ada["disabled_at"], ada["last_seen_at"]) == (None, None)
    assert "password" not in str(listed)


def test_users_are_searched_and_paged(browser: TestClient) -> None:
    first = document(browser.get(USERS, params={"limit": 1}))
    second = document(browser.get(USERS, params={"limit": 1, "cursor": first["next"]}))
    found = document(browser.get(USERS, params={"search": "ADA"}))

    assert [first["items"][0]["email"], second["items"][0]["email"]] == [
        OPERATOR,
        "ada@example.org",
    ]
    assert second["next"] is None
    assert [item["email"] for item in found["items"]] == ["ada@example.org"]


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

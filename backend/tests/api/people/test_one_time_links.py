"""The page of a one-time link: what the link is for, and using it."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from backend.core.config import Settings
from backend.core.db import unit_of_work
from backend.core.people.accounts import links
from backend.core.statuses import Role
from backend.tests.accounts import PASSWORD, add_person, expire_links, invite
from backend.tests.answers import document, faults, problem
from backend.tests.api.browsing import OWN, SESSION, get_key, open_browser, sign_in

READ = "/api/v1/links/read"
USE = "/api/v1/links/use"
NEW = "another long password"


@pytest.fixture
def browser(app: FastAPI, database: Settings) -> Iterator[TestClient]:
    with open_browser(app) as client:
        yield client


def use(browser: TestClient, key: str, **given: str) -> Response:
    return browser.post(USE, json={"key": key, **given}, headers=OWN)


def test_the_first_operator_creates_an_account_and_is_signed_in(browser: TestClient) -> None:
    with unit_of_work() as session:
        key = links.create_first_operator_link(session).key

    read = document(browser.post(READ, json={"key": key}))
    answer = use(browser, key, email="op@example.org", name="Op", password=NEW)

    assert read["purpose"] == "first_operator"
    assert (read["email"], read["workspace"], read["has_account"]) == (None, None, False)
    signed_in = document(answer)
    assert signed_in["user"]["is_operator"] is True
    assert signed_in["workspace"]["role"] == "owner"
    assert {"own", "account", "operate"} <= set(signed_in["permissions"])
    assert document(browser.get(SESSION)) == signed_in
    assert answer.headers["cache-control"] == "private, no-store"
    problem(browser.post(READ, json={"key": key}), 404, "not_found")
    problem(use(browser, key, email="b@example.org", name="B", password=NEW), 404, "not_found")


def test_an_invitation_shows_what_it_is_for(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session)
        for_new = invite(session, Role.VIEWER, "new@example.org")
        for_ada = invite(session, Role.OWNER, "ada@example.org")

    new, ada = (document(browser.post(READ, json={"key": key})) for key in (for_new, for_ada))

    assert (new["purpose"], new["email"]) == ("invitation", "new@example.org")
    assert (new["workspace"], new["role"], new["has_account"]) == ("Main", "viewer", False)
    assert (ada["role"], ada["has_account"]) == ("owner", True)


def test_an_invited_person_joins_with_a_new_account_and_only_the_first_operates(
    browser: TestClient, app: FastAPI
) -> None:
    with unit_of_work() as session:
        key = invite(session, Role.MAINTAINER)

    signed_in = document(use(browser, key, email="New@example.org", name="New", password=NEW))

    assert signed_in["user"]["email"] == "new@example.org"
    # Nobody had an account before, so nobody else could operate the installation.
    assert signed_in["user"]["is_operator"]
    assert (signed_in["workspace"]["slug"], signed_in["workspace"]["role"]) == (
        "main",
        "maintainer",
    )
    document(sign_in(browser, "new@example.org", NEW))
    with unit_of_work() as session:
        second = invite(session, Role.OWNER)
    with open_browser(app) as other:
        joined = document(use(other, second, email="bo@example.org", name="Bo", password=NEW))
    assert not joined["user"]["is_operator"]


def test_a_signed_in_person_joins_and_gets_a_new_key(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session, role=None)
        key = invite(session)
    assert document(sign_in(browser))["workspace"] is None
    old = get_key(browser)

    joined = document(use(browser, key))

    assert joined["workspace"]["slug"] == "main"
    assert get_key(browser) != old


def test_a_wrong_password_for_an_existing_account_does_not_use_the_link(
    browser: TestClient,
) -> None:
    with unit_of_work() as session:
        add_person(session, role=None)
        key = invite(session, email="ada@example.org")

    problem(use(browser, key, password=NEW), 401, "unauthorized")

    assert document(use(browser, key, password=PASSWORD))["workspace"]["slug"] == "main"


def test_missing_values_and_short_passwords_do_not_use_the_link(browser: TestClient) -> None:
    with unit_of_work() as session:
        key = invite(session)
    person = {"email": "new@example.org", "name": "New"}

    assert list(faults(use(browser, key, password=NEW, name="New"))) == ["email"]
    assert list(faults(use(browser, key, password=NEW, email="new@example.org"))) == ["name"]
    assert list(faults(use(browser, key, **person))) == ["password"]
    assert list(faults(use(browser, key, **person, password="short"))) == ["password"]
    assert document(use(browser, key, **person, password=NEW))["proof"] == "session"


def test_a_reset_link_ends_all_sessions(browser: TestClient, app: FastAPI) -> None:
    with unit_of_work() as session:
        created = links.create_reset_link(session, add_person(session))
    with open_browser(app) as other:
        sign_in(other)
        read = document(browser.post(READ, json={"key": created.key}))
        document(use(browser, created.key, password=NEW))

        assert (read["purpose"], read["email"]) == ("password_reset", "ada@example.org")
        assert read["has_account"] is True
        assert document(other.get(SESSION))["proof"] is None
        assert document(browser.get(SESSION))["proof"] == "session"
        problem(sign_in(other), 401, "unauthorized")


def test_unknown_and_expired_links_look_alike(browser: TestClient) -> None:
    with unit_of_work() as session:
        expired = invite(session)
        expire_links(session)

    for path in (READ, USE):
        answers = [
            problem(browser.post(path, json={"key": key}, headers=OWN), 404, "not_found")
            for key in (expired, "unknown")
        ]
        assert answers[0]["detail"] == answers[1]["detail"]


def test_a_page_of_another_site_cannot_use_a_link(browser: TestClient) -> None:
    with unit_of_work() as session:
        add_person(session, role=None)
        key = invite(session)
    sign_in(browser)
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}

    problem(browser.post(USE, json={"key": key}, headers=foreign), 401, "unauthorized")

    assert document(browser.get(SESSION))["workspace"] is None

"""Signing in: the cookie gives a person's rights; changes are accepted from own pages only."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from backend.api.access.cookie import COOKIE
from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import Membership, User, UserSession, Workspace
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import passwords
from backend.core.statuses import Role
from backend.tests.accounts import PASSWORD, CountingHasher, add_person, expire_sessions
from backend.tests.answers import document, faults, problem
from backend.tests.api.browsing import (
    ORIGIN,
    OWN,
    SESSION,
    get_key,
    open_browser,
    sign_in,
    sign_in_with_token,
)
from backend.tests.asking import RUNS, body

pytestmark = pytest.mark.usefixtures("host_id")


@pytest.fixture
def browser(app: FastAPI, database: Settings) -> Iterator[TestClient]:
    with open_browser(app) as client:
        yield client


@pytest.fixture
def ada(database: Settings) -> None:
    """A member of the first workspace."""
    with unit_of_work() as session:
        add_person(session)


def list_keys() -> list[str]:
    with unit_of_work() as session:
        return list(session.scalars(select(UserSession.key_hash)))


def test_an_anonymous_visitor_learns_how_to_sign_in(browser: TestClient) -> None:
    before = document(browser.get(SESSION))
    with unit_of_work() as session:
        add_person(session)
    after = browser.get(SESSION)

    assert before["sign_in"] == {"password": False, "token": False, "reset": False, "oidc": None}
    assert before["permissions"] == ["open"]
    assert (before["proof"], before["user"], before["workspace"]) == (None, None, None)
    assert before["detail"]
    refused = problem(sign_in_with_token(browser, "anything"), 409, "conflict")
    assert "no TACHO_TOKEN" in refused["detail"]
    assert document(after)["sign_in"] == {
        "password": True,
        "token": False,
        "reset": False,
        "oidc": None,
    }
    assert after.headers["cache-control"] == "private, no-store"


def test_the_local_owner_needs_no_account_until_there_is_one(client: TestClient) -> None:
    alone = document(client.get(SESSION))
    with unit_of_work() as session:
        add_person(session)
    together = document(client.get(SESSION))

    assert (alone["proof"], alone["is_single_user"]) == ("loopback", True)
    assert alone["workspace"]["role"] == "owner"
    assert {"own", "operate"} <= set(alone["permissions"])
    assert (together["proof"], together["is_single_user"]) == (None, False)
    assert together["permissions"] == ["open"]


@pytest.mark.usefixtures("ada")
def test_signing_in_sets_an_opaque_cookie_that_scripts_cannot_read(browser: TestClient) -> None:
    answer = sign_in(browser, "ADA@example.org")

    signed_in = document(answer)
    assert signed_in["proof"] == "session"
    assert signed_in["user"]["email"] == "ada@example.org"
    assert signed_in["user"]["is_operator"] is False
    assert (signed_in["workspace"]["slug"], signed_in["workspace"]["role"]) == ("main", "member")
    assert signed_in["permissions"] == ["open", "view", "guard", "run", "account"]
    assert answer.headers["cache-control"] == "private, no-store"
    (cookie,) = answer.headers.get_list("set-cookie")
    flags = {part.strip().lower() for part in cookie.split(";")}
    assert {"httponly", "samesite=lax", "secure", "path=/", "max-age=2592000"} <= flags
    key = get_key(browser)
    assert list_keys() == [hash_key(key)]
    assert len(key) >= 43
    assert "ada" not in key
    assert document(browser.get(SESSION)) == signed_in


def test_unknown_wrong_and_disabled_get_the_same_answer_for_the_same_work(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unit_of_work() as session:
        add_person(session)
        add_person(session, "disabled@example.org", is_disabled=True)
    hasher = CountingHasher()
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    answers = [
        sign_in(browser, "nobody@example.org"),
        sign_in(browser, "ada@example.org", "wrong password"),
        sign_in(browser, "disabled@example.org"),
    ]

    assert hasher.runs == len(answers)
    documents = [problem(answer, 401, "unauthorized") for answer in answers]
    for found in documents:
        found.pop("instance")
    assert documents[0] == documents[1] == documents[2]
    headers = [set(answer.headers) for answer in answers]
    assert headers[0] == headers[1] == headers[2]
    assert all("set-cookie" not in answer.headers for answer in answers)
    assert list_keys() == []


def test_half_of_an_answer_is_refused(browser: TestClient) -> None:
    email = {"email": "ada@example.org"}
    password = {"password": PASSWORD}
    token = {"token": "x"}
    for given in ({}, email, password, email | password | token, token | password):
        refused = problem(browser.post(SESSION, json=given, headers=OWN), 422, "invalid_request")
        assert "Send either" in refused["detail"]


def test_invalid_values_are_named(browser: TestClient) -> None:
    for field, value in (
        ("email", "nobody"),
        ("email", "a b@example.org"),
        ("email", f"{'a' * 250}@example.org"),
        ("password", ""),
        ("password", "a" * 201),
    ):
        given = {"email": "ada@example.org", "password": PASSWORD} | {field: value}
        assert list(faults(browser.post(SESSION, json=given, headers=OWN))) == [field]


def test_a_password_that_is_not_unicode_is_refused(browser: TestClient) -> None:
    text = '{"email":"ada@example.org","password":"' + "\\ud800" * 12 + '"}'
    sent = browser.post(SESSION, content=text, headers=OWN | {"Content-Type": "application/json"})
    assert list(faults(sent)) == ["password"]


@pytest.mark.usefixtures("ada")
def test_a_cookie_set_before_signing_in_is_not_accepted_afterwards(
    browser: TestClient, app: FastAPI
) -> None:
    planted = "a-key-that-the-attacker-knows"
    browser.cookies.set(COOKIE, planted, domain="tacho.example", path="/")
    document(sign_in(browser))

    assert get_key(browser) != planted
    with open_browser(app) as attacker:
        attacker.cookies.set(COOKIE, planted)
        assert document(attacker.get(SESSION))["proof"] is None


@pytest.mark.usefixtures("ada")
def test_the_key_changes_at_each_sign_in_and_the_old_one_ends(
    browser: TestClient, app: FastAPI
) -> None:
    sign_in(browser)
    old = get_key(browser)
    sign_in(browser)

    assert get_key(browser) != old
    assert list_keys() == [hash_key(get_key(browser))]
    with open_browser(app) as other:
        other.cookies.set(COOKIE, old)
        assert document(other.get(SESSION))["proof"] is None


@pytest.mark.usefixtures("ada")
def test_signing_out_ends_the_session_for_copies_of_the_cookie_too(
    browser: TestClient, app: FastAPI
) -> None:
    sign_in(browser)
    copy = get_key(browser)
    answer = browser.delete(SESSION, headers=OWN)

    assert answer.status_code == 204
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert list_keys() == []
    assert COOKIE not in browser.cookies
    with open_browser(app) as thief:
        thief.cookies.set(COOKIE, copy)
        refused = thief.post(RUNS, json=body(), headers=OWN)
    assert "session has ended" in problem(refused, 401, "unauthorized")["detail"]


@pytest.mark.usefixtures("ada")
def test_a_session_reads_private_runs_and_makes_changes(browser: TestClient) -> None:
    sign_in(browser)
    private = {**body(), "visibility": "private"}
    slug = document(browser.post(RUNS, json=private, headers=OWN), 202)["slug"]

    assert document(browser.get(f"{RUNS}/{slug}"))["slug"] == slug
    assert browser.get(f"{RUNS}/{slug}/export.csv").status_code == 200
    # A wrong token in the header is refused despite the session.
    wrong = browser.post(RUNS, json=body(), headers=OWN | {"Authorization": "Bearer wrong"})
    problem(wrong, 401, "unauthorized")
    browser.delete(SESSION, headers=OWN)
    problem(browser.get(f"{RUNS}/{slug}"), 404, "not_found")


@pytest.mark.usefixtures("ada")
def test_an_expired_session_has_no_rights(browser: TestClient) -> None:
    sign_in(browser)
    with unit_of_work() as session:
        expire_sessions(session)

    refused = browser.post(RUNS, json=body(), headers=OWN)

    assert "session has ended" in problem(refused, 401, "unauthorized")["detail"]
    ended = browser.get(SESSION)
    assert document(ended)["proof"] is None
    assert "max-age=0" in ended.headers["set-cookie"].lower()


@pytest.mark.usefixtures("ada")
def test_disabling_a_user_ends_the_rights_at_once(browser: TestClient) -> None:
    sign_in(browser)
    with unit_of_work() as session:
        session.scalars(select(User)).one().disabled_at = datetime.now(UTC)

    problem(browser.post(RUNS, json=body(), headers=OWN), 401, "unauthorized")
    assert document(browser.get(SESSION))["proof"] is None


@pytest.mark.usefixtures("ada")
def test_a_lower_role_applies_to_the_next_request(browser: TestClient) -> None:
    sign_in(browser)
    with unit_of_work() as session:
        session.scalars(select(Membership)).one().role = Role.VIEWER

    refused = problem(browser.post(RUNS, json=body(), headers=OWN), 403, "forbidden")

    assert "role member in workspace 'main', and yours is viewer" in refused["detail"]


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://tacho.example.evil.example"},
    {"Origin": "https://tacho.example:444"},
]


@pytest.mark.usefixtures("ada")
def test_a_page_of_another_site_can_neither_write_nor_sign_in_or_out(browser: TestClient) -> None:
    given = {"email": "ada@example.org", "password": PASSWORD}
    for headers in FOREIGN:
        problem(browser.post(SESSION, json=given, headers=headers), 401, "unauthorized")
    sign_in(browser)

    for headers in ({}, *FOREIGN):
        refused = problem(browser.post(RUNS, json=body(), headers=headers), 401, "unauthorized")
        assert "pages of this Tacho" in refused["detail"]
    for headers in FOREIGN:
        problem(browser.delete(SESSION, headers=headers), 401, "unauthorized")

    assert document(browser.get(SESSION))["proof"] == "session"
    # Some browsers send only the origin.
    document(browser.post(RUNS, json=body(), headers={"Origin": ORIGIN}), 202)


@pytest.mark.usefixtures("ada")
def test_a_form_of_another_site_cannot_sign_in(browser: TestClient) -> None:
    text = '{"email":"ada@example.org","password":"correct horse battery"}'
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        sent = browser.post(SESSION, content=text, headers={"Content-Type": kind})
        assert sent.status_code == 422, sent.text
    assert list_keys() == []


@pytest.mark.usefixtures("ada")
def test_a_browser_chooses_its_workspace(browser: TestClient, app: FastAPI) -> None:
    with unit_of_work() as session:
        second = Workspace(slug="second", name="Second")
        session.add_all([second, Workspace(slug="foreign", name="Foreign")])
        session.flush()
        user = session.scalars(select(User)).one()
        session.add(Membership(workspace_id=second.id, user_id=user.id, role=Role.VIEWER))
    first = document(sign_in(browser))

    chosen = browser.patch(SESSION, json={"workspace": "second"}, headers=OWN)

    assert first["workspace"]["slug"] == "main"
    assert [own["slug"] for own in first["workspaces"]] == ["main", "second"]
    assert document(chosen)["workspace"]["slug"] == "second"
    assert document(chosen)["permissions"] == ["open", "view", "account"]
    assert document(browser.get(SESSION)) == document(chosen)
    foreign = browser.patch(SESSION, json={"workspace": "foreign"}, headers=OWN)
    problem(foreign, 404, "not_found")
    with open_browser(app) as other:
        assert document(sign_in(other))["workspace"]["slug"] == "main"


def test_without_a_session_the_header_names_the_workspace(
    client: TestClient, visitor: TestClient
) -> None:
    problem(visitor.patch(SESSION, json={"workspace": "main"}), 401, "unauthorized")
    refused = problem(client.patch(SESSION, json={"workspace": "main"}), 409, "conflict")
    assert "Tacho-Workspace" in refused["detail"]


def test_the_token_signs_in_as_owner_of_everything(browser: TestClient, token: str) -> None:
    before = document(browser.get(SESSION))
    answer = sign_in_with_token(browser, token)

    signed_in = document(answer)
    assert before["sign_in"]["token"] is True
    assert (signed_in["proof"], signed_in["user"]) == ("session", None)
    assert set(signed_in["permissions"]) == {
        *("open", "view", "guard", "run", "manage", "own"),
        *("monitor", "operate"),
    }
    assert token not in answer.headers["set-cookie"]
    assert document(browser.post(RUNS, json=body(), headers=OWN), 202)
    # It still works when there are users.
    with unit_of_work() as session:
        add_person(session)
    bearer = {"Authorization": f"Bearer {token}"}
    assert document(browser.get("/api/v1/users", headers=bearer))["items"]
    assert document(sign_in_with_token(browser, token))["proof"] == "session"


def test_a_wrong_token_does_not_sign_in(browser: TestClient, token: str) -> None:
    for given in ("wrong", "é", "s3cret-of-the-tes"):
        refused = sign_in_with_token(browser, given)

        detail = problem(refused, 401, "unauthorized")["detail"]
        assert detail.startswith("The token is wrong.")
        assert "set-cookie" not in refused.headers
    assert document(browser.get(SESSION))["proof"] is None


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("later", ["another-token", ""])
def test_another_token_ends_only_the_sessions_of_the_token(
    browser: TestClient, app: FastAPI, token: str, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    sign_in_with_token(browser, token)
    with open_browser(app) as person:
        sign_in(person)
        monkeypatch.setenv("TACHO_TOKEN", later)
        get_settings.cache_clear()

        ended = problem(browser.post(RUNS, json=body(), headers=OWN), 401, "unauthorized")

        assert ended["detail"].startswith("Your session has ended")
        document(person.post(RUNS, json=body(), headers=OWN), 202)


def test_the_local_owner_gets_rid_of_the_cookie_of_an_ended_session(client: TestClient) -> None:
    client.cookies.set(COOKIE, "ended", domain="127.0.0.1")
    try:
        problem(client.post(RUNS, json=body()), 401, "unauthorized")
        assert document(client.get(SESSION))["proof"] == "loopback"
        assert document(client.post(RUNS, json=body()), 202)
    finally:
        client.cookies.clear()


def test_a_forged_cookie_is_refused(browser: TestClient, token: str) -> None:
    for value in ("", "x", "é", "a.b.c", "9" * 4000):
        headers = {b"Cookie": f"{COOKIE}={value}".encode("latin-1")}
        assert document(browser.get(SESSION, headers=headers))["proof"] is None

"""Signing in: the cookie gives access to private runs, and allows changes from Tacho's own pages
only."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from backend.api.access.cookie import COOKIE, LIFETIME, is_valid, make_session
from backend.core.config import Settings, get_settings
from backend.tests.answers import document, problem
from backend.tests.api.conftest import VISITOR
from backend.tests.asking import RUNS, body

SESSION = "/api/v1/session"
ORIGIN = "https://tacho.example"
OWN = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}

pytestmark = pytest.mark.usefixtures("host_id")


@pytest.fixture
def browser(app: FastAPI, database: Settings) -> Iterator[TestClient]:
    """A browser on another machine with cookies, behind a proxy that terminates TLS."""
    with TestClient(app, ORIGIN, client=VISITOR) as client:
        yield client


def sign_in(browser: TestClient, token: str) -> Response:
    return browser.post(SESSION, json={"token": token}, headers=OWN)


def test_signing_in_sets_a_cookie_that_scripts_cannot_read(browser: TestClient, token: str) -> None:
    before = document(browser.get(SESSION))
    answer = sign_in(browser, token)

    assert (before["can_write"], before["can_sign_in"]) == (False, True)
    assert document(answer)["can_write"] is True
    (cookie,) = answer.headers.get_list("set-cookie")
    flags = {part.strip().lower() for part in cookie.split(";")}
    assert {"httponly", "samesite=lax", "secure", "path=/"} <= flags
    assert token not in cookie
    assert document(browser.get(SESSION))["proof"] == "session"


def test_a_plain_http_page_gets_a_cookie_that_it_can_send(app: FastAPI, token: str) -> None:
    with TestClient(app, "http://tacho.example:8000", client=VISITOR) as browser:
        answer = browser.post(
            SESSION, json={"token": token}, headers={"Origin": "http://tacho.example:8000"}
        )
        assert "secure" not in answer.headers["set-cookie"].lower()
        assert document(browser.get(SESSION))["can_write"] is True


@pytest.mark.parametrize("given", ["wrong", "é", "s3cret-of-the-tes"])
def test_a_wrong_token_does_not_sign_in(browser: TestClient, token: str, given: str) -> None:
    refused = sign_in(browser, given)

    assert problem(refused, 401, "unauthorized")["detail"].startswith("The token is wrong.")
    assert "set-cookie" not in refused.headers
    assert document(browser.get(SESSION))["can_write"] is False


def test_without_a_token_signing_in_is_refused(browser: TestClient) -> None:
    assert "TACHO_TOKEN" in problem(sign_in(browser, "anything"), 409, "conflict")["detail"]
    assert document(browser.get(SESSION))["can_sign_in"] is False


def test_a_session_reads_private_runs_and_makes_changes(browser: TestClient, token: str) -> None:
    sign_in(browser, token)
    private = {**body(), "visibility": "private"}
    slug = document(browser.post(RUNS, json=private, headers=OWN), 202)["slug"]

    assert document(browser.get(f"{RUNS}/{slug}"))["slug"] == slug
    assert browser.get(f"{RUNS}/{slug}/export.csv").status_code == 200
    browser.delete(SESSION, headers=OWN)
    problem(browser.get(f"{RUNS}/{slug}"), 404, "not_found")
    assert document(browser.get(SESSION))["can_write"] is False


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://tacho.example.evil.example"},
        {"Origin": "https://tacho.example:444"},
    ],
)
def test_a_page_of_another_site_cannot_write_with_the_session(
    browser: TestClient, token: str, headers: dict[str, str]
) -> None:
    sign_in(browser, token)

    refused = browser.post(RUNS, json=body(), headers=headers)

    assert "pages of this Tacho" in problem(refused, 401, "unauthorized")["detail"]


def test_a_browser_that_only_sends_the_origin_may_write(browser: TestClient, token: str) -> None:
    sign_in(browser, token)

    assert document(browser.post(RUNS, json=body(), headers={"Origin": ORIGIN}), 202)


def test_a_wrong_token_in_the_header_is_refused_despite_a_session(
    browser: TestClient, token: str
) -> None:
    sign_in(browser, token)

    refused = browser.post(RUNS, json=body(), headers=OWN | {"Authorization": "Bearer wrong"})

    problem(refused, 401, "unauthorized")


def test_a_new_token_ends_all_sessions(
    browser: TestClient, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(browser, token)
    monkeypatch.setenv("TACHO_TOKEN", "another-token")
    get_settings.cache_clear()

    ended = browser.post(RUNS, json=body(), headers=OWN)

    assert problem(ended, 401, "unauthorized")["detail"].startswith("Your session has ended")


def test_a_session_expires_and_cannot_be_forged() -> None:
    now = datetime(2026, 11, 22, tzinfo=UTC)
    session = make_session("token", now)
    expiry, rest = session.split(".", 1)
    later = f"{int(expiry) + 1}.{rest}"

    assert is_valid("token", session, now + LIFETIME - timedelta(seconds=1))
    assert not is_valid("token", session, now + LIFETIME)
    assert not is_valid("other", session, now)
    assert not is_valid("token", later, now)
    for forged in ("", ".", "..", "x", "9999999999.", "9999999999.a.", f"{session}0", session[:-1]):
        assert not is_valid("token", forged, now)


@pytest.mark.parametrize("value", ["", "x", "é", "a.b.c", "9" * 4000])
def test_a_forged_cookie_is_refused(browser: TestClient, token: str, value: str) -> None:
    headers = {b"Cookie": f"{COOKIE}={value}".encode("latin-1")}

    assert document(browser.get(SESSION, headers=headers))["can_write"] is False

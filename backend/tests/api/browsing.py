"""Browsers of people: requests of Tacho's own pages, with cookies."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from backend.api.access.cookie import COOKIE
from backend.tests.accounts import PASSWORD

SESSION = "/api/v1/session"
ORIGIN = "https://tacho.example"
OWN = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
VISITOR = ("203.0.113.5", 1234)


@contextmanager
def open_browser(app: FastAPI) -> Iterator[TestClient]:
    """Open a browser on another machine, behind a proxy that terminates TLS."""
    with TestClient(app, ORIGIN, client=VISITOR) as browser:
        yield browser


def sign_in(
    browser: TestClient, email: str = "ada@example.org", password: str = PASSWORD
) -> Response:
    return browser.post(SESSION, json={"email": email, "password": password}, headers=OWN)


def sign_in_with_token(browser: TestClient, token: str) -> Response:
    return browser.post(SESSION, json={"token": token}, headers=OWN)


def get_key(browser: TestClient) -> str:
    """Return the value of the session cookie."""
    key = browser.cookies.get(COOKIE)
    assert key is not None
    return key

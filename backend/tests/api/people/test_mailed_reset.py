"""Password reset by e-mail, with a real SMTP server on loopback."""

import re
from collections.abc import Iterator
from email.message import Message

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler
from fastapi.testclient import TestClient

from backend.core.config import Settings, get_settings
from backend.core.db import unit_of_work
from backend.core.models import User
from backend.main import create_app
from backend.platform.network import find_free_port
from backend.tests.accounts import add_person
from backend.tests.answers import document, faults, problem
from backend.tests.api.browsing import ORIGIN, OWN, SESSION, VISITOR

RESET = "/api/v1/links/reset"


class Mailbox(MessageHandler):
    """Keeps the messages that the server receives."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[Message] = []

    def handle_message(self, message: Message) -> None:
        self.messages.append(message)


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, str]]:
    box = Mailbox()
    server = Controller(box, hostname="127.0.0.1", port=find_free_port())
    server.start()
    try:
        yield box, f"smtp://127.0.0.1:{server.port}"
    finally:
        server.stop()


@pytest.fixture
def browser(
    database: Settings, mailbox: tuple[Mailbox, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """A browser on another machine, of an installation that sends e-mail."""
    monkeypatch.setenv("TACHO_PUBLIC_URL", ORIGIN)
    monkeypatch.setenv("TACHO_SMTP_URL", mailbox[1])
    monkeypatch.setenv("TACHO_MAIL_FROM", "Tacho <tacho@example.org>")
    get_settings.cache_clear()
    try:
        with TestClient(create_app(), ORIGIN, client=VISITOR) as client:
            yield client
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


def request_link(browser: TestClient, email: str) -> int:
    return browser.post(RESET, json={"email": email}, headers=OWN).status_code


def test_a_mailed_link_sets_a_new_password(
    browser: TestClient, mailbox: tuple[Mailbox, str]
) -> None:
    with unit_of_work() as session:
        add_person(session)
    assert document(browser.get(SESSION))["sign_in"]["reset"] is True

    assert request_link(browser, "Ada@example.org") == 204

    (message,) = mailbox[0].messages
    assert (message["To"], message["From"]) == ("ada@example.org", "Tacho <tacho@example.org>")
    found = re.search(rf"{re.escape(ORIGIN)}/join#(\S+)", str(message.get_payload()))
    assert found is not None
    used = browser.post(
        "/api/v1/links/use",
        json={"key": found[1], "password": "another long password"},
        headers=OWN,
    )
    assert document(used)["user"]["email"] == "ada@example.org"


def test_the_response_does_not_reveal_who_has_an_account(
    browser: TestClient, mailbox: tuple[Mailbox, str]
) -> None:
    with unit_of_work() as session:
        add_person(session)
        add_person(session, "bo@example.org")
    with unit_of_work() as session:
        for user in session.query(User).filter(User.email == "bo@example.org"):
            user.disabled_at = user.created_at

    assert {request_link(browser, f"{name}@example.org") for name in ("ada", "bo", "nobody")} == {
        204
    }
    assert [message["To"] for message in mailbox[0].messages] == ["ada@example.org"]


def test_a_mailbox_cannot_be_filled(browser: TestClient, mailbox: tuple[Mailbox, str]) -> None:
    with unit_of_work() as session:
        add_person(session)

    statuses = [request_link(browser, "ada@example.org") for _ in range(21)]

    assert statuses == [204] * 20 + [429]
    assert len(mailbox[0].messages) == 3


def test_a_page_of_another_site_cannot_request_a_link(
    browser: TestClient, mailbox: tuple[Mailbox, str]
) -> None:
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    refused = browser.post(RESET, json={"email": "ada@example.org"}, headers=foreign)

    problem(refused, 401, "unauthorized")
    assert "email" in faults(browser.post(RESET, json={"email": "no address"}, headers=OWN))
    assert mailbox[0].messages == []


def test_a_server_that_does_not_answer_is_logged(
    browser: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with unit_of_work() as session:
        add_person(session)
    monkeypatch.setenv("TACHO_SMTP_URL", f"smtp://127.0.0.1:{find_free_port()}")
    get_settings.cache_clear()

    assert request_link(browser, "ada@example.org") == 204
    assert "The mail server refused a message" in caplog.text


def test_an_installation_without_mail_server_names_whom_to_ask(client: TestClient) -> None:
    refused = problem(client.post(RESET, json={"email": "ada@example.org"}), 409, "conflict")
    assert "Ask an operator" in refused["detail"]

"""Callers with the token may make changes, and without a token programs on this machine."""

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.tests.answers import document, problem
from backend.tests.asking import RUNS, body
from backend.tests.factories import ask_run
from backend.tests.rows import count_rows

pytestmark = pytest.mark.usefixtures("host_id")


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def refused(answer: Response) -> None:
    told = problem(answer, 401, "unauthorized")
    assert "Authorization: Bearer <token>" in told["detail"]
    assert answer.headers["www-authenticate"] == "Bearer"


def test_an_anonymous_visitor_may_read_but_not_write(visitor: TestClient) -> None:
    with unit_of_work() as session:
        slug = ask_run(session).slug

    assert visitor.get(RUNS).status_code == 200
    refused(visitor.post(RUNS, json=body()))
    refused(visitor.post(f"{RUNS}/{slug}/cancel"))
    refused(visitor.post(f"{RUNS}/{slug}/rerun"))
    assert count_rows() == (1, 1, 1)
    assert document(visitor.get(f"{RUNS}/{slug}"))["status"] == "queued"


@pytest.mark.parametrize("given", ["wrong", "", "s3cret-of-the-tes", "S3CRET-OF-THE-TEST", "é"])
def test_a_wrong_token_is_refused(visitor: TestClient, token: str, given: str) -> None:
    headers = {b"Authorization": f"Bearer {given}".encode("latin-1")}

    refused(visitor.post(RUNS, json=body(), headers=headers))
    refused(visitor.post(RUNS, json=body(), headers={"Authorization": f"Basic {token}"}))
    assert count_rows() == (0, 0, 0)


@pytest.mark.parametrize("given", ["", "anything"])
def test_without_a_configured_token_every_token_is_refused(visitor: TestClient, given: str) -> None:
    refused(visitor.post(RUNS, json=body(), headers=bearer(given)))


def test_a_configured_token_is_required_on_this_machine_too(client: TestClient, token: str) -> None:
    assert document(client.post(RUNS, json=body(), headers=bearer(token)), 202)
    missing = problem(client.post(RUNS, json=body()), 401, "unauthorized")
    wrong = problem(client.post(RUNS, json=body(), headers=bearer("wrong")), 401, "unauthorized")

    assert missing["detail"].startswith("Sign in in the browser, or send the header")
    assert wrong["detail"].startswith("The token is wrong.")
    assert token not in missing["detail"] + wrong["detail"]


def test_loopback_is_trusted_only_by_an_explicit_setting(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("", "false"):
        monkeypatch.setenv("TACHO_TRUST_LOOPBACK", value)
        get_settings.cache_clear()
        detail = problem(client.post(RUNS, json=body()), 401, "unauthorized")["detail"]
        assert "TACHO_TOKEN" in detail
        assert "TACHO_TRUST_LOOPBACK=true" in detail
    monkeypatch.undo()
    get_settings.cache_clear()


def test_a_request_of_another_origin_is_not_a_call_from_this_machine(client: TestClient) -> None:
    """Each kind of sign is a case of test_loopback."""
    for headers in (
        {"X-Forwarded-For": "127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Host": "rebound.example"},
    ):
        refused(client.post(RUNS, json=body(), headers=headers))

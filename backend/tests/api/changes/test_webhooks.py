"""/webhooks: create, test and read the log, with the token only."""

from typing import Any

from fastapi.testclient import TestClient

from backend.addresses import add_addresses
from backend.core.changes.webhooks import delivery
from backend.core.changes.webhooks.service import emit
from backend.core.db import unit_of_work
from backend.core.statuses import WebhookEvent
from backend.tests.answers import document, faults, problem
from backend.tests.factories import first_workspace
from backend.tests.receiving import Receiver

WEBHOOKS = "/api/v1/webhooks"


def create(client: TestClient, url: str, **fields: Any) -> dict[str, Any]:
    body = {"url": url, "events": ["change.confirmed", "run.finished"], **fields}
    return document(client.post(WEBHOOKS, json=body), 201)


def test_the_secret_is_shown_once(client: TestClient, target: Receiver) -> None:
    made = create(client, target.url, description="Team channel")

    assert made["secret"].startswith("whsec_")
    assert made["events"] == ["run.finished", "change.confirmed"]
    shown = document(client.get(f"{WEBHOOKS}/{made['id']}"))
    assert shown == {key: value for key, value in made.items() if key != "secret"}
    assert document(client.get(WEBHOOKS))["items"] == [shown]
    assert client.delete(f"{WEBHOOKS}/{made['id']}").status_code == 204
    problem(client.get(f"{WEBHOOKS}/{made['id']}"), 404, "not_found")


def test_invalid_webhooks_are_refused(client: TestClient) -> None:
    valid = {"url": "https://example.org/", "events": ["run.finished"]}
    cases: list[tuple[str, dict[str, Any]]] = [
        ("url", {"url": "http://127.0.0.1/"}),
        ("url", {"url": "https://10.0.0.1/"}),
        ("events", {"events": []}),
        ("events.0", {"events": ["run.begun"]}),
        ("events.0", {"events": ["webhook.test"]}),
    ]
    for field, change in cases:
        assert field in faults(client.post(WEBHOOKS, json=valid | change))
    assert document(client.get(WEBHOOKS))["items"] == []


def test_a_test_message_returns_its_delivery_and_is_sent_again_on_request(
    client: TestClient, target: Receiver
) -> None:
    made = create(client, target.url)
    target.statuses, target.answer = [500], b"no such channel"

    failed = document(client.post(f"{WEBHOOKS}/{made['id']}/test"))

    assert (failed["event"], failed["status"]) == ("webhook.test", "pending")
    (attempt,) = failed["attempts"]
    assert (attempt["status"], attempt["excerpt"]) == (500, "no such channel")
    assert attempt["duration_ms"] > 0
    assert failed["next_attempt_at"] > failed["created_at"]
    delivered = document(client.post(f"{WEBHOOKS}/{made['id']}/test"))
    assert (delivered["status"], delivered["next_attempt_at"]) == ("delivered", None)
    log = document(client.get(f"{WEBHOOKS}/{made['id']}/deliveries"))["items"]
    assert log == [delivered, failed]
    assert document(client.get(f"{WEBHOOKS}/{made['id']}"))["failures_in_a_row"] == 0

    again = document(client.post(f"{WEBHOOKS}/{made['id']}/deliveries/{delivered['id']}/redeliver"))
    assert (again["status"], len(again["attempts"])) == ("delivered", 2)
    _, one, other = target.received
    assert one.headers["webhook-id"] == other.headers["webhook-id"] == delivered["id"]
    assert one.body == other.body == delivered["body"].encode()


def test_the_log_is_paged(client: TestClient, target: Receiver) -> None:
    made = create(client, target.url)
    sent = [document(client.post(f"{WEBHOOKS}/{made['id']}/test"))["id"] for _ in range(3)]
    deliveries = f"{WEBHOOKS}/{made['id']}/deliveries"

    page = document(client.get(deliveries, params={"limit": 2}))
    rest = document(client.get(deliveries, params={"cursor": page["next"]}))

    assert [item["id"] for item in page["items"] + rest["items"]] == sent[::-1]
    assert rest["next"] is None


def test_a_disabled_webhook_receives_nothing(client: TestClient, target: Receiver) -> None:
    made = create(client, target.url)
    one = f"{WEBHOOKS}/{made['id']}"
    with unit_of_work() as session:
        emit(session, first_workspace(session), WebhookEvent.RUN_FINISHED, "", {})

    changed = document(client.patch(one, json={"enabled": False}))
    with unit_of_work() as session:
        emit(session, first_workspace(session), WebhookEvent.RUN_FINISHED, "", {})

    assert (changed["enabled"], changed["disabled_reason"]) == (False, None)
    assert not delivery.attempt(add_addresses)
    assert target.received == []
    problem(client.post(f"{one}/test"), 409, "conflict")
    (given_up,) = document(client.get(f"{one}/deliveries"))["items"]
    assert given_up["status"] == "failed"
    document(client.patch(one, json={"enabled": True, "description": "again"}))
    assert document(client.post(f"{one}/test"))["status"] == "delivered"


def test_the_audit_log_shows_that_tacho_disabled_a_webhook(
    client: TestClient, target: Receiver
) -> None:
    made = create(client, target.url)
    target.statuses = [410]

    document(client.post(f"{WEBHOOKS}/{made['id']}/test"))

    asked = {"subject": made["id"], "action": "webhook.changed"}
    [entry] = document(client.get("/api/v1/audit", params=asked))["items"]
    assert (entry["actor"], entry["after"]["enabled"]) == ("Tacho", False)
    assert "410 Gone" in entry["after"]["disabled_reason"]

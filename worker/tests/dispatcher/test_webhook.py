"""Messages about ended runs reach a receiver that verifies them; a lost receiver is handled."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select, update

from backend.addresses import add_addresses
from backend.core.changes.finalization.service import finalize_runs
from backend.core.changes.webhooks import delivery, service
from backend.core.changes.webhooks.delivery import MAX_ATTEMPTS
from backend.core.db import new_session, unit_of_work
from backend.core.models import Webhook, WebhookDelivery
from backend.core.queue import REQUESTS, get_redis
from backend.core.statuses import WebhookEvent
from backend.tests.factories import add_host, ask_run, first_workspace, succeed_next
from backend.tests.receiving import Receiver
from tools.benchmarks.receiver import verify
from worker.dispatcher.tasks import deliver_webhooks, tidy_deliveries


def subscribe(target: Receiver, *events: WebhookEvent) -> Webhook:
    with unit_of_work() as session:
        return service.create_webhook(
            session, first_workspace(session), url=target.url, events=events, description=""
        )


def finish_run(title: str = "Nightly") -> None:
    with unit_of_work() as session:
        host = add_host(session)
        ask_run(session, title=title)
        succeed_next(session, host.id)
    finalize_runs()


def emit(count: int = 1) -> None:
    """Emit messages without a run."""
    with unit_of_work() as session:
        for number in range(count):
            service.emit(
                session, first_workspace(session), WebhookEvent.RUN_FINISHED, "", {"number": number}
            )


def let_time_pass(age: timedelta) -> None:
    with unit_of_work() as session:
        session.execute(
            update(WebhookDelivery).values(
                due_at=WebhookDelivery.due_at - age, created_at=WebhookDelivery.created_at - age
            )
        )


def deliveries() -> list[WebhookDelivery]:
    with unit_of_work() as session:
        return list(session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id)))


def test_the_end_of_a_run_reaches_a_receiver_that_verifies_it(target: Receiver) -> None:
    webhook = subscribe(target, WebhookEvent.RUN_FINISHED)
    subscribe(target, WebhookEvent.CHANGE_CONFIRMED)

    finish_run()
    finalize_runs()
    assert get_redis().llen(REQUESTS) == 1
    deliver_webhooks()

    (got,) = target.received
    assert verify(webhook.secret, got.headers, got.body, time.time()) is None
    sent_at = int(got.headers["webhook-timestamp"])
    message = json.loads(got.body)
    assert message["type"] == "run.finished"
    assert abs(sent_at - datetime.fromisoformat(message["timestamp"]).timestamp()) < 60
    run = message["data"]["run"]
    assert (run["title"], run["status"], run["host"]) == ("Nightly", "succeeded", "bench-01")
    assert run["summary"].startswith("No usable result")
    assert message["text"] == f"Nightly: {run['summary']}"
    assert run["permalink"] == f"/r/{run['slug']}"
    assert got.headers["content-type"] == "application/json"


def test_a_text_has_one_line_and_neither_markup_nor_mentions(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)

    finish_run("<!channel> @here\n<https://example.org|Nightly> " + "x" * 1000)
    deliver_webhooks()

    (got,) = target.received
    text = json.loads(got.body)["text"]
    assert text.startswith("&lt;!channel&gt; @\u200bhere &lt;https://example.org|Nightly&gt; xxx")
    assert len(text) < 600


def test_a_rolled_back_end_sends_no_message(target: Receiver) -> None:
    subscribe(target, WebhookEvent.CHANGE_CONFIRMED)

    with new_session() as session:
        service.emit(session, first_workspace(session), WebhookEvent.CHANGE_CONFIRMED, "", {})
        session.rollback()
    deliver_webhooks()

    assert target.received == []
    assert get_redis().llen(REQUESTS) == 0


def test_a_new_message_does_not_wait_after_the_clock_was_set_back(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    emit()
    let_time_pass(-timedelta(hours=1))

    deliver_webhooks()

    assert len(target.received) == 1


def test_a_failure_is_tried_again_later_and_not_before(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    target.statuses = [503, 500]
    emit()

    deliver_webhooks()
    deliver_webhooks()
    assert len(target.received) == 1
    for _ in range(2):
        let_time_pass(timedelta(minutes=2))
        deliver_webhooks()

    assert [entry["status"] for entry in deliveries()[0].log] == [503, 500, 204]
    assert deliveries()[0].status == "delivered"
    assert len({got.headers["webhook-id"] for got in target.received}) == 1


def test_a_sender_that_dies_loses_no_message(
    target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    emit()

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(delivery, "post", die)
        with pytest.raises(SystemExit):
            deliver_webhooks()
    deliver_webhooks()
    assert target.received == []
    let_time_pass(timedelta(minutes=5))
    deliver_webhooks()

    assert len(target.received) == 1


def test_parallel_senders_send_each_message_once(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    emit(20)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            pool.submit(deliver_webhooks)

    numbers = sorted(json.loads(got.body)["data"]["number"] for got in target.received)
    assert numbers == list(range(20))


def test_a_receiver_that_never_answers_is_given_up_with_a_note(target: Receiver) -> None:
    webhook = subscribe(target, WebhookEvent.RUN_FINISHED)
    target.statuses = [500] * 100
    emit(4)

    for _ in range(MAX_ATTEMPTS):
        deliver_webhooks()
        let_time_pass(timedelta(hours=15))

    assert {sent.status for sent in deliveries()} == {"failed"}
    assert len(target.received) == 3 * MAX_ATTEMPTS
    with unit_of_work() as session:
        disabled = session.get_one(Webhook, webhook.id)
    assert not disabled.enabled
    assert disabled.disabled_reason == "24 attempts in a row failed; the last: HTTP 500"


def test_a_receiver_that_answers_gone_gets_no_more_messages(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    target.statuses = [410]
    emit()

    deliver_webhooks()

    with unit_of_work() as session:
        assert "410 Gone" in (session.scalars(select(Webhook)).one().disabled_reason or "")


def test_the_log_is_kept_for_a_month(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    emit()
    deliver_webhooks()

    tidy_deliveries()
    assert len(deliveries()) == 1
    let_time_pass(timedelta(days=31))
    tidy_deliveries()

    assert deliveries() == []
    with unit_of_work() as session:
        assert session.scalar(select(func.count()).select_from(Webhook)) == 1


def test_a_message_that_kills_its_senders_is_given_up(target: Receiver) -> None:
    subscribe(target, WebhookEvent.RUN_FINISHED)
    emit()
    for _ in range(MAX_ATTEMPTS):
        with unit_of_work() as session:
            assert delivery._claim(session, add_addresses, None) is not None
        let_time_pass(timedelta(hours=1))

    deliver_webhooks()

    assert [sent.status for sent in deliveries()] == ["failed"]
    assert target.received == []

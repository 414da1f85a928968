"""Attempts: claim a delivery in one transaction, send it outside, store the result in another.

If a sender dies in between, its claim expires and the message is sent again with the same id, so
that receivers can detect the repetition. Pauses between attempts are an exponential backoff with
jitter.
"""

import json
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.changes.webhooks import repository, service
from backend.core.changes.webhooks.sending import TOTAL_SECONDS, DeliveryOutcome, post
from backend.core.changes.webhooks.signature import sign
from backend.core.config import get_settings
from backend.core.db import unit_of_work
from backend.core.documents import DeliveryAttempt
from backend.core.log_context import log_fields
from backend.core.models import Webhook, WebhookDelivery
from backend.core.people.audit.recording import act_as_tacho
from backend.core.statuses import DeliveryStatus
from backend.version import VERSION

_log = logging.getLogger(__name__)

_FIRST_PAUSE = timedelta(seconds=15)
_FACTOR = 4
_LONGEST_PAUSE = timedelta(hours=12)
# Without jitter, deliveries that failed together would be repeated together.
_JITTER = 0.2
MAX_ATTEMPTS = 8
# Resolving names has no timeout of its own.
_CLAIM = timedelta(seconds=TOTAL_SECONDS * 6)
# About three messages have failed completely, so the receiver probably no longer exists.
_TOO_MANY_FAILURES = 3 * MAX_ATTEMPTS
_LOG_KEPT = 20
_GONE = 410


@dataclass(frozen=True)
class _Message:
    """A claimed delivery, sent outside a transaction."""

    delivery_id: UUID
    webhook_id: UUID
    url: str
    secret: str
    body: bytes


def attempt(add_addresses: Callable[[str], str], delivery_id: UUID | None = None) -> bool:
    """Send the next due delivery, or the given one; return False if none was due.

    Opens its own units of work, because a receiver may take seconds and a transaction must not.

    Args:
        add_addresses: returns a stored body with the addresses that receivers get.
    """
    with unit_of_work() as session:
        message = _claim(session, add_addresses, delivery_id)
    if message is None:
        return False
    at = datetime.now(UTC)
    headers = {
        "content-type": "application/json",
        "user-agent": f"Tacho/{VERSION}",
        **sign(message.secret, str(message.delivery_id), at, message.body),
    }
    with log_fields(**find_log_fields(message.body)):
        outcome = post(message.url, headers, message.body, get_settings().webhook_allow)
        if not outcome.is_delivered:
            reason = outcome.error or f"status {outcome.status}"
            _log.warning("message %s was not delivered: %s", message.delivery_id, reason)
    with unit_of_work() as session:
        _record(session, message, at, outcome)
    return True


def find_log_fields(body: bytes) -> dict[str, str]:
    """Return the id of the run that a message is about, for log lines; nothing if there is none."""
    data = json.loads(body)["data"]
    run = data.get("run")
    return {"run_id": str(run["id"])} if run else {}


def pause_after(attempts: int, chance: float) -> timedelta | None:
    """Return the pause before the next attempt; None if no attempt is left.

    15 s, 1 min, 4 min, 16 min, 64 min, 4.3 h, 12 h, each ± 20 %: eight attempts in some 17 hours.

    Args:
        attempts: number of attempts so far, at least 1.
        chance: a random number, uniform in [0, 1).
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    plain = min(_FIRST_PAUSE * float(_FACTOR ** (attempts - 1)), _LONGEST_PAUSE)
    return plain * (1 + _JITTER * (2 * chance - 1))


def _claim(
    session: Session, add_addresses: Callable[[str], str], delivery_id: UUID | None
) -> _Message | None:
    delivery = repository.find_due(session, delivery_id)
    if delivery is None:
        return None
    if delivery.attempts >= MAX_ATTEMPTS:
        # A delivery whose sender died in every attempt is not repeated endlessly.
        delivery.status = DeliveryStatus.FAILED
        return None
    delivery.attempts += 1
    delivery.due_at = func.now() + _CLAIM
    webhook = delivery.webhook
    body = add_addresses(delivery.body).encode()
    return _Message(delivery.id, webhook.id, webhook.url, webhook.secret, body)


def _record(session: Session, message: _Message, at: datetime, outcome: DeliveryOutcome) -> None:
    webhook = repository.find_webhook_locked(session, message.webhook_id)
    delivery = session.get(WebhookDelivery, message.delivery_id, with_for_update=True)
    if webhook is None or delivery is None:
        return  # deleted in the meantime
    entry = DeliveryAttempt(
        at=at.isoformat(),
        status=outcome.status,
        error=outcome.error,
        duration_ms=round(outcome.duration_ms, 1),
        excerpt=outcome.excerpt,
    )
    delivery.log = [*delivery.log, entry][-_LOG_KEPT:]
    if outcome.is_delivered:
        delivery.status = DeliveryStatus.DELIVERED
        webhook.failures_in_a_row = 0
        return
    webhook.failures_in_a_row += 1
    if delivery.status == DeliveryStatus.PENDING:
        pause = pause_after(delivery.attempts, random.random())  # noqa: S311  jitter
        if pause is None:
            delivery.status = DeliveryStatus.FAILED
        else:
            delivery.due_at = func.now() + pause
    reason = _reason_to_disable(webhook, outcome)
    if reason is not None:
        session.flush()
        with act_as_tacho(session):
            service.disable(session, webhook, reason)
            session.flush()


def _reason_to_disable(webhook: Webhook, outcome: DeliveryOutcome) -> str | None:
    if not webhook.enabled:
        return None
    if outcome.status == _GONE:
        return "The receiver answered 410 Gone, so Tacho stopped sending."
    if webhook.failures_in_a_row < _TOO_MANY_FAILURES:
        return None
    last = outcome.error or f"HTTP {outcome.status}"
    return f"{webhook.failures_in_a_row} attempts in a row failed; the last: {last}"

"""Create and change webhooks, queue messages about events, test and redeliver."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.changes.webhooks import repository
from backend.core.changes.webhooks.signature import new_secret
from backend.core.changes.webhooks.targets import check_url
from backend.core.config import get_settings
from backend.core.db import new_id
from backend.core.errors import Conflict
from backend.core.models import Run, Schedule, Webhook, WebhookDelivery
from backend.core.queue import after_commit, wake_up_dispatcher
from backend.core.statuses import TEST_EVENT, DeliveryStatus, TrialStatus, WebhookEvent
from backend.core.units import Purpose

MAX_WEBHOOKS = 50
_MOST_CHARACTERS = 500


def create_webhook(
    session: Session,
    workspace_id: UUID,
    *,
    url: str,
    events: Sequence[WebhookEvent],
    description: str,
) -> Webhook:
    """Subscribe a URL. Only this response contains the secret.

    Raises:
        InvalidRequest: the URL is not allowed for webhooks.
        Conflict: there are MAX_WEBHOOKS already.
    """
    check_url(url, get_settings().webhook_allow)
    if repository.count_webhooks(session, workspace_id) >= MAX_WEBHOOKS:
        raise Conflict(f"There are {MAX_WEBHOOKS} webhooks already; delete one first.")
    webhook = Webhook(
        workspace_id=workspace_id,
        url=url,
        description=description,
        events=_in_order(events),
        secret=new_secret(),
    )
    session.add(webhook)
    session.flush()
    return webhook


def change_webhook(
    session: Session,
    workspace_id: UUID,
    webhook_id: UUID,
    *,
    url: str | None = None,
    events: Sequence[WebhookEvent] | None = None,
    description: str | None = None,
    enabled: bool | None = None,
) -> Webhook:
    """Change the given values.

    Disabling fails pending deliveries; enabling resets the count of failures.

    Raises:
        NotFound, InvalidRequest: as create_webhook.
    """
    webhook = repository.get_webhook(session, workspace_id, webhook_id)
    if url is not None:
        webhook.url = check_url(url, get_settings().webhook_allow)
    if events is not None:
        webhook.events = _in_order(events)
    if description is not None:
        webhook.description = description
    if enabled is False:
        disable(session, webhook, None)
    elif enabled:
        webhook.enabled, webhook.disabled_reason, webhook.failures_in_a_row = True, None, 0
    session.flush()
    return webhook


def disable(session: Session, webhook: Webhook, reason: str | None) -> None:
    """Disable a webhook; `reason` is set if Tacho does so automatically."""
    webhook.enabled, webhook.disabled_reason = False, reason
    repository.fail_pending(session, webhook.id)


def emit(
    session: Session,
    workspace_id: UUID,
    event: WebhookEvent,
    text: str,
    payload: Mapping[str, object],
) -> None:
    """Queue a message to the subscribed webhooks of a workspace in the caller's transaction.

    Args:
        text: the message for people, in one line.
        payload: the `data` of the message, JSON serialisable.
    """
    webhooks = repository.list_subscribed(session, workspace_id, event)
    for webhook in webhooks:
        _enqueue(session, webhook, event, text, payload)
    if webhooks:
        after_commit(session, wake_up_dispatcher)


def announce_end(session: Session, run: Run) -> None:
    """Queue webhook messages about the end of a comparison run; other runs send none."""
    if run.purpose == Purpose.COMPARISON:
        text = f"{run.title}: {run.summary or run.status}"
        payload = {"run": describe_run(run)}
        emit(session, run.workspace_id, WebhookEvent.RUN_FINISHED, text, payload)


def describe_run(run: Run) -> dict[str, object]:
    """Return the run's identity, how it ended, and its answer in one line.

    Other results are left out: they mean nothing without verdicts and intervals.

    Args:
        run: with host, cells and trials.
    """
    failed = sum(trial.status == TrialStatus.FAILED for trial in run.trials)
    return {
        "id": run.id,
        "slug": run.slug,
        "title": run.title,
        "status": run.status,
        "outcome": run.outcome,
        "summary": run.summary,
        "visibility": run.visibility,
        "host": run.host.name,
        "trials_total": len(run.trials),
        "trials_failed": failed,
        "created_at": run.created_at.isoformat(),
        "started_at": run.started_at and run.started_at.isoformat(),
        "finished_at": run.finished_at and run.finished_at.isoformat(),
    }


def describe_schedule(schedule: Schedule) -> dict[str, object]:
    """Return the schedule's identity."""
    return {"id": schedule.id, "name": schedule.name, "host": schedule.host}


def create_test(session: Session, workspace_id: UUID, webhook_id: UUID) -> WebhookDelivery:
    """Create a test delivery, to be sent by `delivery.attempt`."""
    webhook = repository.get_webhook(session, workspace_id, webhook_id)
    if not webhook.enabled:
        raise Conflict("The webhook is disabled; enable it before a test.")
    text = "A test of this webhook, sent by Tacho."
    return _enqueue(session, webhook, TEST_EVENT, text, {"message": text})


def redeliver(session: Session, webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery:
    """Deliver a message again with the same id and body, starting with the first attempt.

    Raises:
        NotFound.
        Conflict: the delivery is pending, or the webhook is disabled.
    """
    delivery = repository.lock_delivery(session, webhook_id, delivery_id)
    if not delivery.webhook.enabled:
        raise Conflict("The webhook is disabled; enable it before delivering again.")
    if delivery.status == DeliveryStatus.PENDING:
        raise Conflict("This delivery is pending; Tacho repeats it automatically.")
    delivery.status, delivery.attempts = DeliveryStatus.PENDING, 0
    delivery.due_at = func.now()
    session.flush()
    session.refresh(delivery, ["due_at"])
    return delivery


def _enqueue(
    session: Session, webhook: Webhook, event: str, text: str, payload: Mapping[str, object]
) -> WebhookDelivery:
    # The specified form: type, timestamp of the event, data. Chats show `text` as the message.
    message = {
        "type": event,
        "timestamp": datetime.now(UTC).isoformat(),
        "text": _make_harmless(text),
        "data": dict(payload),
    }
    delivery = WebhookDelivery(
        id=new_id(),
        webhook_id=webhook.id,
        event=event,
        body=json.dumps(message, default=str, separators=(",", ":")),
        status=DeliveryStatus.PENDING,
    )
    session.add(delivery)
    session.flush()
    return delivery


def _make_harmless(text: str) -> str:
    """Return a text in one line, without markup and without mentions of a chat.

    It may contain names that people or bench hosts chose, and lines that a service logged.
    """
    line = " ".join(text.split())
    short = line if len(line) <= _MOST_CHARACTERS else f"{line[:_MOST_CHARACTERS]}…"
    # A chat shows the entities as these characters. An invisible character ends a mention.
    return escape(short, quote=False).replace("@", "@\u200b")


def _in_order(events: Sequence[WebhookEvent]) -> list[WebhookEvent]:
    return [event for event in WebhookEvent if event in events]

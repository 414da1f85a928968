"""Webhooks as the API shows them."""

from backend.addresses import add_addresses
from backend.api.changes.webhooks.schemas import AttemptOut, DeliveryOut, NewWebhookOut, WebhookOut
from backend.core.models import Webhook, WebhookDelivery
from backend.core.statuses import DeliveryStatus


def webhook_out(webhook: Webhook) -> WebhookOut:
    return WebhookOut.model_validate(_fields(webhook))


def new_webhook_out(webhook: Webhook) -> NewWebhookOut:
    """With the secret: for the answer that makes it."""
    return NewWebhookOut.model_validate(_fields(webhook) | {"secret": webhook.secret})


def delivery_out(delivery: WebhookDelivery) -> DeliveryOut:
    pending = delivery.status == DeliveryStatus.PENDING
    return DeliveryOut.model_validate(
        {
            "id": delivery.id,
            "event": delivery.event,
            "status": delivery.status,
            "created_at": delivery.created_at,
            "next_attempt_at": delivery.due_at if pending else None,
            "attempts": [AttemptOut.model_validate(entry) for entry in delivery.log],
            "body": add_addresses(delivery.body),
        }
    )


def _fields(webhook: Webhook) -> dict[str, object]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": webhook.events,
        "description": webhook.description,
        "enabled": webhook.enabled,
        "disabled_reason": webhook.disabled_reason,
        "failures_in_a_row": webhook.failures_in_a_row,
        "created_at": webhook.created_at,
    }

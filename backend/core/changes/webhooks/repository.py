"""SQL for webhooks and their deliveries. Never commits."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, func, or_, select, tuple_, update
from sqlalchemy.orm import Session, joinedload

from backend.core.errors import NotFound
from backend.core.models import Webhook, WebhookDelivery
from backend.core.statuses import DeliveryStatus, WebhookEvent


def list_webhooks(session: Session, workspace_id: UUID) -> Sequence[Webhook]:
    """Return all webhooks of a workspace, oldest first."""
    query = select(Webhook).where(Webhook.workspace_id == workspace_id)
    return session.scalars(query.order_by(Webhook.created_at, Webhook.id)).all()


def count_webhooks(session: Session, workspace_id: UUID) -> int:
    query = select(func.count()).select_from(Webhook).where(Webhook.workspace_id == workspace_id)
    return session.scalar(query) or 0


def get_webhook(session: Session, workspace_id: UUID, webhook_id: UUID) -> Webhook:
    """Return a webhook of a workspace; raise NotFound if there is none."""
    webhook = session.get(Webhook, webhook_id)
    if webhook is None or webhook.workspace_id != workspace_id:
        raise NotFound(f"There is no webhook {str(webhook_id)!r}.")
    return webhook


def find_webhook_locked(session: Session, webhook_id: UUID) -> Webhook | None:
    """Return the webhook, locked until commit, so that failures are counted correctly."""
    query = select(Webhook).where(Webhook.id == webhook_id).with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).one_or_none()


def list_subscribed(session: Session, workspace_id: UUID, event: WebhookEvent) -> Sequence[Webhook]:
    """Return enabled webhooks of a workspace that subscribe to this event."""
    query = select(Webhook).where(
        Webhook.workspace_id == workspace_id,
        Webhook.enabled,
        Webhook.events.contains([event.value]),
    )
    return session.scalars(query.order_by(Webhook.id)).all()


def list_deliveries(
    session: Session, webhook_id: UUID, before: tuple[datetime, UUID] | None, limit: int
) -> Sequence[WebhookDelivery]:
    """Return the deliveries of a webhook, newest first."""
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.webhook_id == webhook_id)
        .order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(tuple_(WebhookDelivery.created_at, WebhookDelivery.id) < before)
    return session.scalars(query).all()


def lock_delivery(session: Session, webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery:
    """Return a delivery with its webhook, locked until commit; raise NotFound."""
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.id == delivery_id, WebhookDelivery.webhook_id == webhook_id)
        .options(joinedload(WebhookDelivery.webhook))
        .with_for_update(of=WebhookDelivery)
    )
    delivery = session.scalars(query).one_or_none()
    if delivery is None:
        raise NotFound(f"The webhook has no delivery {str(delivery_id)!r}.")
    return delivery


def find_due(session: Session, delivery_id: UUID | None = None) -> WebhookDelivery | None:
    """Return the longest overdue delivery, or the given one if it is due, locked.

    The delivery is loaded with its webhook. Returns None if none is due, or if another process has
    locked it.
    """
    query = (
        select(WebhookDelivery)
        .where(
            WebhookDelivery.status == DeliveryStatus.PENDING,
            # The first attempt has no pause. Its time is in the future only if the clock was set
            # back since.
            or_(
                WebhookDelivery.attempts == 0,
                WebhookDelivery.due_at <= func.clock_timestamp(),
            ),
        )
        .options(joinedload(WebhookDelivery.webhook))
        .order_by(WebhookDelivery.due_at)
        .limit(1)
        .with_for_update(of=WebhookDelivery, skip_locked=True)
    )
    if delivery_id is not None:
        query = query.where(WebhookDelivery.id == delivery_id)
    return session.scalars(query).one_or_none()


def fail_pending(session: Session, webhook_id: UUID) -> None:
    """Fail all pending deliveries of a webhook."""
    session.execute(
        update(WebhookDelivery)
        .where(
            WebhookDelivery.webhook_id == webhook_id,
            WebhookDelivery.status == DeliveryStatus.PENDING,
        )
        .values(status=DeliveryStatus.FAILED)
    )


def delete_old(session: Session, age: timedelta) -> int:
    """Delete ended deliveries that are older, and return their number."""
    old = delete(WebhookDelivery).where(
        WebhookDelivery.created_at < func.now() - age,
        WebhookDelivery.status != DeliveryStatus.PENDING,
    )
    return len(session.scalars(old.returning(WebhookDelivery.id)).all())

"""One event on its way to one webhook: an outbox row, and its log afterwards."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.webhook import Webhook


class WebhookDelivery(Base):
    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("ix_webhook_delivery_due", "due_at", postgresql_where=text("status = 'pending'")),
        Index("ix_webhook_delivery_webhook_id_created_at", "webhook_id", "created_at"),
    )

    # Also the message's `webhook-id`: the same in every attempt, so that receivers can tell.
    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    # A core.webhooks.events.WebhookEvent, or TEST_EVENT.
    event: Mapped[str]
    # The very text that is signed and sent.
    body: Mapped[str]
    # A core.webhooks.events.DeliveryStatus.
    status: Mapped[str]
    # When it may be tried next; while an attempt is under way, when that counts as lost.
    due_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Made since it was asked for, or asked for again.
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    # Each {"at", "status", "error", "duration_ms", "excerpt"}, oldest first; the newest few.
    log: Mapped[list[dict[str, Any]]] = mapped_column(default=list, server_default="[]")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    webhook: Mapped[Webhook] = relationship(lazy="raise")

"""The delivery of one event to one webhook: an outbox row, which keeps the log of attempts."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import DeliveryAttempt
from backend.core.models.document import PlainDocument
from backend.core.models.webhook import Webhook
from backend.core.statuses import DeliveryStatus


class WebhookDelivery(Base):
    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("ix_webhook_delivery_due", "due_at", postgresql_where=text("status = 'pending'")),
        Index("ix_webhook_delivery_webhook_id_created_at", "webhook_id", "created_at"),
    )

    # Also the message's `webhook-id`: the same in every attempt, so that receivers can detect
    # duplicates.
    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    # A core.statuses.WebhookEvent, or TEST_EVENT.
    event: Mapped[str]
    # The exact text that is signed and sent.
    body: Mapped[str]
    status: Mapped[DeliveryStatus]
    # Time of the next attempt; during an attempt, the time after which it counts as lost.
    due_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Number of attempts since the delivery was requested or requested again.
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    # Oldest first; only the newest are kept.
    log: Mapped[list[DeliveryAttempt]] = mapped_column(
        PlainDocument(list[DeliveryAttempt]), default=list, server_default="[]"
    )
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    webhook: Mapped[Webhook] = relationship(lazy="raise")

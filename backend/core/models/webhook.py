"""A webhook: a URL that is told of events, and the secret that signs what it is told."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Webhook(Base):
    __tablename__ = "webhook"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    url: Mapped[str]
    description: Mapped[str]
    # Values of core.webhooks.events.WebhookEvent.
    events: Mapped[list[str]]
    # Needed in clear text to sign; shown once, when it is made.
    secret: Mapped[str]
    enabled: Mapped[bool] = mapped_column(default=True, server_default="true")
    # Why Tacho disabled it by itself; null otherwise.
    disabled_reason: Mapped[str | None]
    # Attempts that failed since the last that did not.
    failures_in_a_row: Mapped[int] = mapped_column(default=0, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

"""A webhook: a URL that receives events, and the secret that signs the messages."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.models.document import Document
from backend.core.statuses import WebhookEvent


class Webhook(Base):
    __tablename__ = "webhook"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    url: Mapped[str]
    description: Mapped[str]
    events: Mapped[list[WebhookEvent]] = mapped_column(Document(list[WebhookEvent]))
    # Stored in clear text, because signing needs it. The API returns it once, on creation.
    secret: Mapped[str]
    enabled: Mapped[bool] = mapped_column(default=True, server_default="true")
    # Why Tacho disabled it automatically; null otherwise.
    disabled_reason: Mapped[str | None]
    # Number of failed attempts since the last successful one.
    failures_in_a_row: Mapped[int] = mapped_column(default=0, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

"""A group of runs: one request, measured on several bench hosts."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class RunGroup(Base):
    __tablename__ = "run_group"
    __table_args__ = (UniqueConstraint("workspace_id", "idempotency_key"),)

    slug: Mapped[str] = mapped_column(primary_key=True)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    # Unique in the workspace.
    idempotency_key: Mapped[str | None]
    request_digest: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

"""A one-time link: it creates the first operator, accepts an invitation, resets a password, or lets
a bench host join."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.workspace import Workspace
from backend.core.statuses import LinkPurpose, Role


class OneTimeLink(Base):
    __tablename__ = "one_time_link"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    purpose: Mapped[LinkPurpose]
    # SHA-256 of the key in the link, in hexadecimal. The key is random and stored nowhere.
    key_hash: Mapped[str] = mapped_column(unique=True)
    # The invited person, or null if anyone with the link may use it.
    email: Mapped[str | None]
    # Of an invitation.
    workspace_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("workspace.id", ondelete="CASCADE"), index=True
    )
    role: Mapped[Role | None]
    # The user whose password is reset.
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    # The name of the bench host that joins.
    host_name: Mapped[str | None]
    created_by_id: Mapped[UUID | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]

    workspace: Mapped[Workspace | None] = relationship(lazy="raise")

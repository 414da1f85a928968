"""A signed-in browser."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.user import User


class UserSession(Base):
    __tablename__ = "user_session"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # SHA-256 of the cookie's value, in hexadecimal. The value is random and stored nowhere.
    key_hash: Mapped[str] = mapped_column(unique=True)
    # Null for a browser that signed in with TACHO_TOKEN.
    user_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), index=True
    )
    # SHA-256 of the TACHO_TOKEN that the browser signed in with: another token ends the session.
    token_hash: Mapped[str | None]
    # The workspace that the browser shows; null for the first one of the user.
    workspace_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("workspace.id", ondelete="SET NULL")
    )
    address: Mapped[str]
    user_agent: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(index=True)

    user: Mapped[User | None] = relationship(lazy="raise")

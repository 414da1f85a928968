"""A person who signs in."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class User(Base):
    __tablename__ = "user"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # In lower case.
    email: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    # Argon2id; null for a person who only signs in through an identity provider.
    password_hash: Mapped[str | None]
    # An operator manages hosts, catalogue, users and workspaces of the installation.
    is_operator: Mapped[bool] = mapped_column(default=False, server_default="false")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # A disabled user cannot sign in, and the user's sessions and tokens do not work.
    disabled_at: Mapped[datetime | None]

"""The user of a bench host in PostgreSQL and Redis. Both have the same name and password."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class HostCredential(Base):
    """A row without a host is revoked. It remains until its users are dropped in both servers."""

    __tablename__ = "host_credential"

    # Name of the login role in PostgreSQL and of the ACL user in Redis.
    username: Mapped[str] = mapped_column(primary_key=True)
    host_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("host.id", ondelete="SET NULL"), unique=True
    )
    # SHA-256 in hexadecimal. The password is random and stored nowhere. From this, the user is
    # created again in a Redis that was emptied.
    redis_password_sha256: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

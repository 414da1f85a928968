"""An attempt to make a scheduled backup. The newest hundred are kept."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Backup(Base):
    __tablename__ = "backup"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)
    # Null if it failed.
    file: Mapped[str | None]
    size_bytes: Mapped[int | None] = mapped_column(BigInteger)
    # Why it failed; null if it succeeded.
    error: Mapped[str | None]
    # When the next backup begins.
    next_at: Mapped[datetime]

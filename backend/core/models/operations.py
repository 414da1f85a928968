"""The installation: backups, retention, and a shortage on the disk of the database."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Backup(Base):
    """An attempt to make a scheduled backup. The newest hundred are kept."""

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


class RetentionSetting(Base):
    """How long the installation keeps seconds and logs: a table with one row."""

    __tablename__ = "retention_setting"
    __table_args__ = (
        CheckConstraint("id = 1", "only_row"),
        CheckConstraint("seconds_days > 0", "seconds_days"),
        CheckConstraint("logs_days > 0", "logs_days"),
    )

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # None: for ever.
    seconds_days: Mapped[int | None]
    logs_days: Mapped[int | None]


class DatabaseShortage(Base):
    """The disk of the database has too little free space for trials: a table with at most one row.

    The dispatcher writes it again and again while the shortage lasts, so an old row means nothing.
    """

    __tablename__ = "database_shortage"
    __table_args__ = (CheckConstraint("id = 1", "only_row"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # How much space is free and how much is needed, and what to do.
    detail: Mapped[str]
    reported_at: Mapped[datetime] = mapped_column(server_default=func.now())

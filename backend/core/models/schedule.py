"""A schedule: a run to ask for, again and again, by the clock."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Schedule(Base):
    __tablename__ = "schedule"
    __table_args__ = (
        Index("ix_schedule_due", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    # Five fields, read in the time zone (IANA).
    cron: Mapped[str]
    time_zone: Mapped[str]
    # A core.runs.service.NewRun; its host is always named, so that results make one series.
    request: Mapped[dict[str, Any]]
    # When it starts a run next; null while paused.
    next_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

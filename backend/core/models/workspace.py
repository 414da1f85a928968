"""A workspace: a team's runs, schedules, webhooks, SLOs, snapshots, changes and histories."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id


class Workspace(Base):
    __tablename__ = "workspace"
    __table_args__ = (
        CheckConstraint("max_queued_trials >= 0", "queued_trials"),
        CheckConstraint("max_bench_minutes >= 0", "bench_minutes"),
        CheckConstraint("seconds_days > 0", "seconds_days"),
        CheckConstraint("logs_days > 0", "logs_days"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # Name in addresses and in the header Tacho-Workspace.
    slug: Mapped[str] = mapped_column(unique=True)
    name: Mapped[str]
    # None: the limit of the installation. 0: no limit.
    max_queued_trials: Mapped[int | None]
    max_bench_minutes: Mapped[int | None]
    # Days for which the workspace keeps seconds and logs. None: those of the installation.
    seconds_days: Mapped[int | None]
    logs_days: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

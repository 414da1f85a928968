"""A scheduled run: one start time of a schedule on one host, the run it started, and its status."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.host import Host
from backend.core.models.run import Run
from backend.core.models.schedule import Schedule
from backend.core.statuses import MissReason, ScheduledRunStatus


class ScheduledRun(Base):
    __tablename__ = "scheduled_run"
    __table_args__ = (
        UniqueConstraint("schedule_id", "due_at", "host_id", postgresql_nulls_not_distinct=True),
        # The newest runs of a schedule on one of its hosts.
        Index("ix_scheduled_run_schedule_id_host_id_due_at", "schedule_id", "host_id", "due_at"),
        Index("ix_scheduled_run_watched", "due_at", postgresql_where=text("is_watched")),
        Index("ix_scheduled_run_missed", "due_at", postgresql_where=text("status = 'missed'")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    schedule_id: Mapped[UUID] = mapped_column(ForeignKey("schedule.id", ondelete="CASCADE"))
    due_at: Mapped[datetime]
    # Null if no host was found for the run.
    host_id: Mapped[UUID | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    # Null if no run was started; see the reason.
    run_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("run.id", ondelete="CASCADE"), index=True
    )
    # The status; if it is MISSED, also the reason, and the reason as a sentence.
    status: Mapped[ScheduledRunStatus]
    reason: Mapped[MissReason | None]
    detail: Mapped[str] = mapped_column(default="", server_default="")
    # Number of start times that passed while Tacho was down.
    skipped: Mapped[int] = mapped_column(default=0, server_default="0")
    expected_by: Mapped[datetime | None]
    # True until the status is final.
    is_watched: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    schedule: Mapped[Schedule] = relationship(lazy="raise")
    host: Mapped[Host | None] = relationship(lazy="raise")
    run: Mapped[Run | None] = relationship(lazy="raise")

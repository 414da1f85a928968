"""A schedule: a run that starts repeatedly at set times."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.documents import EACH, RunRequest
from backend.core.models.document import Document


class Schedule(Base):
    __tablename__ = "schedule"
    __table_args__ = (
        Index("ix_schedule_due", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    name: Mapped[str]
    # Cron expression with five fields, in the IANA time zone below.
    cron: Mapped[str]
    time_zone: Mapped[str]
    request: Mapped[RunRequest] = mapped_column(Document(RunRequest))
    # Time of the next run; null while paused.
    next_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def host(self) -> str:
        """Name of the host of all runs; names of several hosts, or `each host`.

        A schedule never changes its host, so that the results of a host form one series.
        """
        if self.request.hosts == EACH:
            return "each host"
        return self.request.host or ", ".join(self.request.hosts or ())

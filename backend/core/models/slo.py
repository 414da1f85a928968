"""A service level objective: a limit for a metric, which a run passes or fails."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.units import Metric


class Slo(Base):
    __tablename__ = "slo"
    __table_args__ = (Index("ix_slo_scenario", "scenario"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    # Slugs; null applies to every framework or every profile.
    framework: Mapped[str | None]
    scenario: Mapped[str]
    profile: Mapped[str | None]
    metric: Mapped[Metric]
    # A maximum if lower is better, else a minimum.
    limit: Mapped[float]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

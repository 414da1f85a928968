"""One metric of one trial, for summaries, comparison and history."""

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.units import Metric


class MetricValue(Base):
    __tablename__ = "metric_value"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[Metric] = mapped_column(primary_key=True)
    value: Mapped[float]

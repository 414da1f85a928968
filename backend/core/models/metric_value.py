"""One number of one trial: what summaries, comparison and history read."""

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class MetricValue(Base):
    __tablename__ = "metric_value"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    # A core.units.Metric; the value's unit ends its name.
    metric: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float]

"""One metric of one cell of an ended run: its estimate over the trials."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.units import Metric


class CellMetric(Base):
    __tablename__ = "cell_metric"
    __table_args__ = (
        # A history reads a thousand values; the index stores them next to each other.
        Index(
            "ix_cell_metric_history",
            *("framework", "scenario", "metric", text("at DESC"), text("cell_id DESC")),
            postgresql_include=["estimate", "low", "high", "n", "mean_log"],
        ),
    )

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell_summary.cell_id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[Metric] = mapped_column(primary_key=True)
    # Copied from the cell's summary, to find histories.
    framework: Mapped[str]
    scenario: Mapped[str]
    at: Mapped[datetime]
    estimate: Mapped[float]
    # 95 % interval; null with fewer than three trials.
    low: Mapped[float | None]
    high: Mapped[float | None]
    n: Mapped[int]
    # Mean and standard deviation (ddof 1) of the trials' natural logarithms, for statistics across
    # cells. Null if a value is not positive or the estimate is a bound; the deviation also with
    # fewer than two trials.
    mean_log: Mapped[float | None]
    sd_log: Mapped[float | None]

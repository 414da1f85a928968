"""One metric of one cell of an ended run: its estimate over the trials."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class CellMetric(Base):
    __tablename__ = "cell_metric"
    __table_args__ = (
        # A thousand numbers of a history lie side by side.
        Index(
            "ix_cell_metric_history",
            *("framework", "scenario", "metric", text("at DESC"), text("cell_id DESC")),
            postgresql_include=["estimate", "low", "high", "n", "mean_log"],
        ),
    )

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell_summary.cell_id", ondelete="CASCADE"), primary_key=True
    )
    # A core.units.Metric; the unit of the values ends its name.
    metric: Mapped[str] = mapped_column(primary_key=True)
    # As the cell's summary has them: what a history is found by.
    framework: Mapped[str]
    scenario: Mapped[str]
    at: Mapped[datetime]
    estimate: Mapped[float]
    # 95 % interval; null below two trials.
    low: Mapped[float | None]
    high: Mapped[float | None]
    n: Mapped[int]
    # Of the trials' natural logarithms, for statistics across cells; null where a value is not
    # positive, and the deviation (ddof 1) below two trials.
    mean_log: Mapped[float | None]
    sd_log: Mapped[float | None]

"""What is drawn of a cell of an ended run, so that charts read one row, not the trials' seconds."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class CellChart(Base):
    __tablename__ = "cell_chart"

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell_summary.cell_id", ondelete="CASCADE"), primary_key=True
    )
    # Of the code that drew it, see core.comparison.charts; what another drew is drawn anew.
    version: Mapped[int]
    # The trials' latencies in ns merged, as uvarint pairs, see core.measurements.histogram.
    latency: Mapped[bytes]
    # Little-endian float64, NaN for none, in rows of equal length: the seconds, then of each of
    # core.measurements.repository.BANDED the lowest, the median and the highest trial.
    bands: Mapped[bytes]
    # Of a load in steps, each a core.measurements.steps.Step; else empty.
    steps: Mapped[list[dict[str, Any]]]

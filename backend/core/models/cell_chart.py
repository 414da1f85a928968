"""Chart data of a cell of an ended run, so that charts read one row, not the trials' seconds."""

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.documents import Step
from backend.core.models.document import Document


class CellChart(Base):
    __tablename__ = "cell_chart"

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell_summary.cell_id", ondelete="CASCADE"), primary_key=True
    )
    # Version of the code that computed the row; rows of other versions are computed again.
    # See core.results.cell_charts.
    version: Mapped[int]
    # Latencies in ns of all trials, as uvarint pairs; see core.measurements.histogram.
    latency: Mapped[bytes]
    # Little-endian float64 in rows of equal length, NaN for a missing value: the seconds, then the
    # lowest, median and highest trial for each of core.measurements.repository.BANDED.
    bands: Mapped[bytes]
    # Empty unless the load has steps.
    steps: Mapped[list[Step]] = mapped_column(Document(list[Step]))

"""A host event: most series of a run shifted together, so the cause is the host."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.host import Host
from backend.core.units import Metric


class HostEvent(Base):
    __tablename__ = "host_event"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"), index=True)
    # The run in which it was detected.
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    metric: Mapped[Metric]
    # Creation time of the first run at the new levels.
    at: Mapped[datetime]
    # Geometric mean of the ratios; number of shifted series, and number of all series.
    ratio: Mapped[float]
    series_shifted: Mapped[int]
    series_total: Mapped[int]
    found_at: Mapped[datetime] = mapped_column(server_default=func.now())

    host: Mapped[Host] = relationship(lazy="raise")

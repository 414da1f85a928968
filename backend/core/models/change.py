"""A change: a level shift of a series, and its status."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import Parameters
from backend.core.models.document import PlainDocument
from backend.core.models.host import Host
from backend.core.statuses import ChangeStatus
from backend.core.units import Metric, ProfileKind, RuntimeKind


class Change(Base):
    __tablename__ = "change"
    __table_args__ = (
        Index("ix_change_series_digest_at", "series_digest", "at"),
        Index("ix_change_status_at", "status", "at"),
        Index("ix_change_at_id", "at", "id"),
        Index("ix_change_workspace_id_at_id", "workspace_id", "at", "id"),
        # The changes that a person has to look at.
        Index(
            "ix_change_open",
            "incident_id",
            postgresql_where=text(
                "status IN ('suspected', 'testing') "
                "OR (status = 'confirmed' AND acknowledged_at IS NULL)"
            ),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"))
    # SHA-256 of the series: the fields below down to the scenario's digest, and the metric.
    series_digest: Mapped[str]
    framework: Mapped[str]
    scenario: Mapped[str]
    profile: Mapped[str]
    kind: Mapped[ProfileKind]
    parameters: Mapped[Parameters] = mapped_column(PlainDocument(Parameters))
    metric: Mapped[Metric]
    runtime: Mapped[RuntimeKind]
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    host_digest: Mapped[str]
    harness_digest: Mapped[str]
    scenario_digest: Mapped[str]
    # Creation time of the first run at the new level.
    at: Mapped[datetime]
    # The cells nearest to the change that were measured with the old and the new build.
    before_cell_id: Mapped[UUID] = mapped_column(ForeignKey("cell.id", ondelete="CASCADE"))
    after_cell_id: Mapped[UUID] = mapped_column(ForeignKey("cell.id", ondelete="CASCADE"))
    # Level after divided by level before in the history, with its 95 % interval. The adjusted ratio
    # excludes the shift that services of the same runs share.
    ratio: Mapped[float]
    low: Mapped[float]
    high: Mapped[float]
    p_value: Mapped[float]
    is_adjusted: Mapped[bool] = mapped_column(default=False, server_default="false")
    # The status, its reason, and the note of a user.
    status: Mapped[ChangeStatus]
    reason: Mapped[str]
    note: Mapped[str | None]
    is_by_hand: Mapped[bool] = mapped_column(default=False, server_default="false")
    # Time at which a person took note of the confirmed change.
    acknowledged_at: Mapped[datetime | None]
    incident_id: Mapped[UUID] = mapped_column(
        ForeignKey("incident.id", ondelete="CASCADE"), index=True
    )
    host_event_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("host_event.id", ondelete="SET NULL"), index=True
    )
    # Ratio of the new build to the old one in the newest confirmation run, with the 95 % interval
    # of the pairs.
    confirmation_run_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("run.id", ondelete="SET NULL"), index=True
    )
    confirmation_ratio: Mapped[float | None]
    confirmation_low: Mapped[float | None]
    confirmation_high: Mapped[float | None]
    confirmation_pairs: Mapped[int | None]
    found_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Time of the last change of status.
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())

    host: Mapped[Host] = relationship(lazy="raise")

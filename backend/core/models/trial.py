"""A trial: one fresh start of a service, the unit of all statistics."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.models.cell import Cell
from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind


class Trial(Base):
    __tablename__ = "trial"
    __table_args__ = (
        Index("ix_trial_run_id_position", "run_id", "position"),
        Index("ix_trial_host_id_status", "host_id", "status"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    cell_id: Mapped[UUID] = mapped_column(ForeignKey("cell.id", ondelete="CASCADE"), index=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    repetition: Mapped[int]
    position: Mapped[int]
    status: Mapped[TrialStatus]
    # Number of claims so far. It only grows: a worker's write is refused when the trial has
    # another attempt.
    attempt: Mapped[int] = mapped_column(default=0, server_default="0")
    # End of the worker's claim. After this time, the worker counts as lost.
    lease_until: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    # Stage name -> seconds spent in it.
    stage_seconds: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    runtime: Mapped[RuntimeKind | None]
    image_digest: Mapped[str | None]
    environment: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    conformance: Mapped[list[dict[str, Any]]] = mapped_column(default=list, server_default="[]")
    verdicts: Mapped[list[dict[str, Any]]] = mapped_column(default=list, server_default="[]")
    # See runs.trials.describe_failure.
    failure: Mapped[dict[str, Any] | None]
    # Failures of earlier attempts that were repeated, oldest first.
    retried_failures: Mapped[list[dict[str, Any]]] = mapped_column(
        default=list, server_default="[]"
    )
    # Duration, maximum duration, whether the load was steady (null: not tested) and why.
    warm_up: Mapped[dict[str, Any] | None]
    # How late requests of a rate were sent (ms); null for requests without a due time.
    generator: Mapped[dict[str, Any] | None]
    requests_total: Mapped[int | None] = mapped_column(BigInteger)
    # k6's own summary, stored if TACHO_K6_SUMMARY is set.
    k6_summary: Mapped[dict[str, Any] | None]

    cell: Mapped[Cell] = relationship(lazy="raise")

"""A trial: one fresh start of a service, the unit of all statistics."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, foreign, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import (
    ConformanceCheck,
    CrossCheckReading,
    Failure,
    Lateness,
    ResponseChecks,
    StoredWarmUp,
    StoredWarning,
    TrialEnvironment,
)
from backend.core.models.cell import Cell
from backend.core.models.document import Document, PlainDocument
from backend.core.statuses import TrialStatus
from backend.core.units import RuntimeKind


class Trial(Base):
    __tablename__ = "trial"
    __table_args__ = (
        Index("ix_trial_run_id_position", "run_id", "position"),
        # The queues of the hosts: few rows, however many trials have ended.
        Index(
            "ix_trial_unfinished",
            *("host_id", "status"),
            postgresql_where=text("status NOT IN ('succeeded', 'failed', 'cancelled')"),
        ),
        # Calibration trials with a cross-check.
        Index(
            "ix_trial_second_reading",
            "run_id",
            postgresql_where=text("second_reading IS NOT NULL"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # Without foreign keys: the trials of a large run outlive it until the dispatcher has deleted
    # them (`DeletedRun`). Nothing finds them, because no run or cell has these ids.
    run_id: Mapped[UUID]
    cell_id: Mapped[UUID] = mapped_column(index=True)
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
    stage_seconds: Mapped[dict[str, float]] = mapped_column(
        PlainDocument(dict[str, float]), default=dict, server_default="{}"
    )
    runtime: Mapped[RuntimeKind | None]
    image_digest: Mapped[str | None]
    environment: Mapped[TrialEnvironment] = mapped_column(
        PlainDocument(TrialEnvironment), default=dict, server_default="{}"
    )
    conformance: Mapped[list[ConformanceCheck]] = mapped_column(
        PlainDocument(list[ConformanceCheck]), default=list, server_default="[]"
    )
    # The checks that ran again after the load. Empty in trials of older versions.
    conformance_after: Mapped[list[ConformanceCheck]] = mapped_column(
        PlainDocument(list[ConformanceCheck]), default=list, server_default="[]"
    )
    # Null without a load, and in trials of older versions.
    checks: Mapped[ResponseChecks | None] = mapped_column(PlainDocument(ResponseChecks))
    verdicts: Mapped[list[StoredWarning]] = mapped_column(
        Document(list[StoredWarning]), default=list, server_default="[]"
    )
    failure: Mapped[Failure | None] = mapped_column(Document(Failure))
    # Failures of earlier attempts that were repeated, oldest first.
    retried_failures: Mapped[list[Failure]] = mapped_column(
        Document(list[Failure]), default=list, server_default="[]"
    )
    warm_up: Mapped[StoredWarmUp | None] = mapped_column(PlainDocument(StoredWarmUp))
    # Null for requests without a due time.
    generator: Mapped[Lateness | None] = mapped_column(PlainDocument(Lateness))
    requests_total: Mapped[int | None] = mapped_column(BigInteger)
    # k6's own summary, stored if TACHO_K6_SUMMARY is set.
    k6_summary: Mapped[dict[str, float] | None] = mapped_column(PlainDocument(dict[str, float]))
    # The values of the cross-check. Null in trials without a cross-check.
    second_reading: Mapped[CrossCheckReading | None] = mapped_column(
        PlainDocument(CrossCheckReading)
    )

    cell: Mapped[Cell] = relationship(
        lazy="raise", primaryjoin=lambda: foreign(Trial.cell_id) == Cell.id
    )

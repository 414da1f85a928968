"""A cell of an ended run in one row, for history, leaderboard and comparison."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base
from backend.core.documents import Parameters, StoredCellWarning
from backend.core.models.document import Document, PlainDocument
from backend.core.units import ProfileKind, RuntimeKind


class CellSummary(Base):
    __tablename__ = "cell_summary"
    __table_args__ = (
        # A history finds its points with this index and that of `cell_metric` alone.
        Index(
            "ix_cell_summary_history",
            *("framework", "scenario", "at", "cell_id"),
            postgresql_include=[
                *("run_id", "workspace_id", "host_id"),
                *("profile", "kind", "parameters", "board", "excluded"),
            ],
        ),
        Index("ix_cell_summary_scenario_host_id_at", "scenario", "host_id", "at"),
        Index(
            "ix_cell_summary_latest",
            *("scenario", "host_id", "profile", "framework", "excluded", "board"),
            text("at DESC"),
            text("cell_id DESC"),
            postgresql_include=["run_id", "runtime", "workspace_id"],
        ),
        Index("ix_cell_summary_scenario_at", "scenario", "at"),
        # Lists of results, newest first.
        Index("ix_cell_summary_framework_at_cell_id", "framework", "at", "cell_id"),
        Index("ix_cell_summary_at_cell_id", "at", "cell_id"),
        # The newest results of each series of a framework, and those around a change.
        Index(
            "ix_cell_summary_series",
            *("framework", "scenario", "profile", "host_id", "at", "cell_id"),
            postgresql_include=["run_id"],
        ),
    )

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell.id", ondelete="CASCADE"), primary_key=True
    )
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    # The workspace of the run.
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    # Creation time of the run.
    at: Mapped[datetime]
    # Slugs.
    framework: Mapped[str]
    scenario: Mapped[str]
    profile: Mapped[str]
    kind: Mapped[ProfileKind]
    parameters: Mapped[Parameters] = mapped_column(PlainDocument(Parameters))
    runtime: Mapped[RuntimeKind]
    # Environment of the first trial.
    host_digest: Mapped[str]
    harness_digest: Mapped[str]
    framework_digest: Mapped[str]
    scenario_digest: Mapped[str]
    image_digest: Mapped[str | None]
    # Digest of runtime, parameters and all digests except the framework's. Cells with the same
    # profile, host and board may be ranked together.
    board: Mapped[str]
    trials_succeeded: Mapped[int]
    trials_failed: Mapped[int]
    verdicts: Mapped[list[StoredCellWarning]] = mapped_column(Document(list[StoredCellWarning]))
    excluded: Mapped[bool]

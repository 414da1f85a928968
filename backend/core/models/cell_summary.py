"""A cell of an ended run in one row: what history, leaderboard and comparison look up."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base


class CellSummary(Base):
    __tablename__ = "cell_summary"
    __table_args__ = (
        Index("ix_cell_summary_framework_scenario_at", "framework", "scenario", "at"),
        Index("ix_cell_summary_scenario_host_id_at", "scenario", "host_id", "at"),
        Index(
            "ix_cell_summary_latest",
            *("scenario", "host_id", "profile", "framework", "excluded", "board"),
            text("at DESC"),
            text("cell_id DESC"),
            postgresql_include=["run_id", "runtime"],
        ),
        Index("ix_cell_summary_scenario_at", "scenario", "at"),
    )

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell.id", ondelete="CASCADE"), primary_key=True
    )
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    # When the run was asked for.
    at: Mapped[datetime]
    # Slugs.
    framework: Mapped[str]
    scenario: Mapped[str]
    profile: Mapped[str]
    kind: Mapped[str]
    parameters: Mapped[dict[str, Any]]
    runtime: Mapped[str]
    # What the trials were measured with and on, as the first of them has it.
    host_digest: Mapped[str]
    harness_digest: Mapped[str]
    framework_digest: Mapped[str]
    scenario_digest: Mapped[str]
    image_digest: Mapped[str | None]
    # Equal where runtime, parameters and the digests but the framework's are: what may be ranked
    # together of one profile on one host.
    board: Mapped[str]
    trials_succeeded: Mapped[int]
    trials_failed: Mapped[int]
    # Each {"verdict", "detail", "trials"}; judged by itself, without the run's other cells.
    verdicts: Mapped[list[dict[str, Any]]]
    excluded: Mapped[bool]

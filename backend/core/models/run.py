"""A run: a request to measure cells, and its progress."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, foreign, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import GoalJudgement, RunGoal
from backend.core.models.cell import Cell
from backend.core.models.document import Document
from backend.core.models.host import Host
from backend.core.models.trial import Trial
from backend.core.statuses import (
    GoalState,
    RemovalReason,
    RunOutcome,
    RunStatus,
    StudyVariant,
    Visibility,
)
from backend.core.units import Purpose


class Run(Base):
    __tablename__ = "run"
    # The columns that a worker reads. The others, such as the title, are closed to bench hosts.
    worker_columns: ClassVar[tuple[str, ...]] = (
        *("id", "host_id", "status", "load_hosts", "goal", "goal_judgement", "traceparent"),
        *("request_id", "cancel_requested_at", "created_at", "started_at", "finished_at"),
        *("finalized_at", "finalization_error"),
    )
    __table_args__ = (
        Index("ix_run_created_at_id", "created_at", "id"),
        Index("ix_run_workspace_id_created_at_id", "workspace_id", "created_at", "id"),
        UniqueConstraint("workspace_id", "idempotency_key"),
        Index(
            "ix_run_unfinalized",
            "finished_at",
            postgresql_where=text("finished_at IS NOT NULL AND finalized_at IS NULL"),
        ),
        Index(
            "ix_run_unfinished",
            *("host_id", "created_at", "id"),
            postgresql_where=text("status NOT IN ('succeeded', 'failed', 'cancelled')"),
        ),
        Index(
            "ix_run_calibration",
            *("host_id", "created_at"),
            postgresql_where=text("purpose = 'calibration'"),
        ),
        # Holds the slugs, so that reading a thousand of them needs only the index.
        Index("ix_run_slugs", "id", postgresql_include=["slug"]),
        # Runs that leaderboards and histories leave out.
        Index(
            "ix_run_apart",
            "id",
            postgresql_where=text("purpose <> 'comparison' OR visibility <> 'public'"),
        ),
        # Runs that these pages leave out for members of their workspace too, by purpose.
        Index(
            "ix_run_not_comparison",
            *("purpose", "created_at", "id"),
            postgresql_where=text("purpose <> 'comparison'"),
        ),
        # Runs whose seconds or logs retention may remove, and runs with rows to delete.
        Index(
            "ix_run_seconds_removed_at_is_null",
            "workspace_id",
            "finished_at",
            postgresql_where=text("seconds_removed_at IS NULL"),
        ),
        Index(
            "ix_run_logs_removed_at_is_null",
            "workspace_id",
            "finished_at",
            postgresql_where=text("logs_removed_at IS NULL"),
        ),
        Index(
            "ix_run_not_scheduled",
            *("created_at", "id"),
            postgresql_where=text("NOT is_scheduled"),
        ),
        Index("ix_run_has_removed_rows", "id", postgresql_where=text("has_removed_rows")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"))
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    status: Mapped[RunStatus] = mapped_column(index=True)
    visibility: Mapped[Visibility]
    purpose: Mapped[Purpose] = mapped_column(
        default=Purpose.COMPARISON, server_default=Purpose.COMPARISON
    )
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"), index=True)
    # Queues of the hosts that send the load; empty if the host of the services does.
    load_hosts: Mapped[list[str]] = mapped_column(ARRAY(String), default=list, server_default="{}")
    # In a run with a goal: the number of blocks so far.
    trials_per_cell: Mapped[int]
    # Null for a run with a fixed number of trials.
    goal: Mapped[RunGoal | None] = mapped_column(Document(RunGoal))
    goal_judgement: Mapped[GoalJudgement | None] = mapped_column(Document(GoalJudgement))
    # Seed of the order in which trials are interleaved.
    seed: Mapped[int] = mapped_column(BigInteger)
    # Unique in the workspace.
    idempotency_key: Mapped[str | None]
    request_digest: Mapped[str]
    # The study that it reproduces, and how.
    study: Mapped[str | None] = mapped_column(index=True)
    study_variant: Mapped[StudyVariant | None]
    # True for example data, measured on another installation.
    example: Mapped[bool] = mapped_column(default=False, server_default="false")
    # Whether a schedule started it, so that lists can leave it out.
    is_scheduled: Mapped[bool] = mapped_column(default=False, server_default="false")
    # The group of runs that measure the same cells on other hosts; null for a single run.
    group_slug: Mapped[str | None] = mapped_column(
        ForeignKey("run_group.slug", ondelete="SET NULL"), index=True
    )
    # The person, token or part of Tacho that requested it, as in the audit log; null in runs of
    # older versions.
    requested_by: Mapped[str | None]
    # W3C trace context of the request, for the traces of its trials; null without tracing.
    traceparent: Mapped[str | None]
    # The id of the request, for log lines of worker and dispatcher; null in scheduled runs.
    request_id: Mapped[str | None]
    rerun_of_id: Mapped[UUID | None] = mapped_column(ForeignKey("run.id"))
    cancel_requested_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None] = mapped_column(index=True)
    # Time at which summaries, changes and webhook messages were stored.
    finalized_at: Mapped[datetime | None]
    # Number of failed attempts, reason of the last one, and earliest time of the next.
    finalization_attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    finalization_error: Mapped[str | None]
    finalize_after: Mapped[datetime | None]
    # Outcome and summary of the answer, for lists, and the version of the rules that made them (0:
    # none yet).
    outcome: Mapped[RunOutcome | None]
    summary: Mapped[str | None]
    outcome_version: Mapped[int] = mapped_column(default=0, server_default="0", index=True)
    # From these times on, no reader gets seconds or logs. The dispatcher deletes the rows later.
    seconds_removed_at: Mapped[datetime | None]
    logs_removed_at: Mapped[datetime | None]
    # Why the seconds were removed.
    removal_reason: Mapped[RemovalReason | None]
    # Whether rows that count as removed may still be stored.
    has_removed_rows: Mapped[bool] = mapped_column(default=False, server_default="false")

    host: Mapped[Host] = relationship(lazy="raise")
    cells: Mapped[list[Cell]] = relationship(lazy="raise", order_by=Cell.position)
    trials: Mapped[list[Trial]] = relationship(
        lazy="raise",
        order_by=Trial.position,
        primaryjoin=lambda: Run.id == foreign(Trial.run_id),
    )

    @property
    def has_reached_goal(self) -> bool:
        """Return whether the run has a goal and stopped because it was reached."""
        judgement = self.goal_judgement
        return judgement is not None and judgement.state is GoalState.REACHED

    @property
    def has_goal_failed(self) -> bool:
        """Return whether the run has a goal that Tacho could not judge."""
        judgement = self.goal_judgement
        return judgement is not None and judgement.state is GoalState.FAILED

    @property
    def is_goal_open(self) -> bool:
        """Return whether the run has a goal, and may need further trials to reach it."""
        judgement = self.goal_judgement
        return self.goal is not None and (judgement is None or judgement.state is GoalState.OPEN)

"""Runs with their cells and trials."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, foreign, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import (
    Builds,
    ConformanceCheck,
    CrossCheckReading,
    Failure,
    GoalJudgement,
    Lateness,
    Parameters,
    ResponseChecks,
    RunGoal,
    StoredWarmUp,
    StoredWarning,
    TrialEnvironment,
)
from backend.core.models.catalog import Framework, Scenario
from backend.core.models.document import Document, PlainDocument
from backend.core.models.hosts import Host
from backend.core.statuses import (
    GoalState,
    RemovalReason,
    RunOutcome,
    RunStatus,
    StudyVariant,
    TrialStatus,
    Visibility,
)
from backend.core.units import ProfileKind, Purpose, RuntimeKind


class RunGroup(Base):
    """A group of runs: one request, measured on several bench hosts."""

    __tablename__ = "run_group"
    __table_args__ = (UniqueConstraint("workspace_id", "idempotency_key"),)

    slug: Mapped[str] = mapped_column(primary_key=True)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    # Unique in the workspace.
    idempotency_key: Mapped[str | None]
    request_digest: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Cell(Base):
    """A cell of a run: one framework × scenario × profile × parameters."""

    __tablename__ = "cell"
    __table_args__ = (
        # Hold the runs, so that listing the runs with a framework or scenario needs only them.
        Index("ix_cell_framework_id_run_id", "framework_id", "run_id"),
        Index("ix_cell_scenario_id_run_id", "scenario_id", "run_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    position: Mapped[int]
    framework_id: Mapped[UUID] = mapped_column(ForeignKey("framework.id"))
    scenario_id: Mapped[UUID] = mapped_column(ForeignKey("scenario.id"))
    # Digests when the run was requested: a later change of the catalogue starts another series.
    framework_digest: Mapped[str]
    scenario_digest: Mapped[str]
    profile: Mapped[str]
    kind: Mapped[ProfileKind]
    parameters: Mapped[Parameters] = mapped_column(PlainDocument(Parameters))
    # Content digest of the build to use, by program slug, as in a trial's environment;
    # null builds the program from the catalogue.
    builds: Mapped[Builds | None] = mapped_column(PlainDocument(Builds))

    framework: Mapped[Framework] = relationship(lazy="raise")
    scenario: Mapped[Scenario] = relationship(lazy="raise")


class TrialLog(Base):
    """The log of one part of a trial: build, service, backing service or load generator."""

    __tablename__ = "trial_log"

    trial_id: Mapped[UUID] = mapped_column(
        ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True
    )
    name: Mapped[str] = mapped_column(primary_key=True)
    content: Mapped[str]


class DeletedRun(Base):
    """A large run that was deleted. The dispatcher deletes its trials, then this row."""

    __tablename__ = "deleted_run"

    id: Mapped[UUID] = mapped_column(primary_key=True)


class Trial(Base):
    """A trial: one fresh start of a service, the unit of all statistics."""

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


class Run(Base):
    """A run: a request to measure cells, and its progress."""

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

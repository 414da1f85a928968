"""Results of cells, their chart data, limits, snapshots, and guards of own services."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, Index, String, Uuid, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from backend.core.db import Base, new_id
from backend.core.documents import GuardFailure, Parameters, Step, StoredCellWarning, TrialSteps
from backend.core.models.document import Document, PlainDocument
from backend.core.statuses import GuardStatus, GuardVerdict
from backend.core.units import Metric, ProfileKind, RuntimeKind


class CellSummary(Base):
    """A cell of an ended run in one row, for history, leaderboard and comparison."""

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


class CellMetric(Base):
    """One metric of one cell of an ended run: its estimate over the trials."""

    __tablename__ = "cell_metric"
    __table_args__ = (
        # A history reads a thousand values; the index stores them next to each other.
        Index(
            "ix_cell_metric_history",
            *("framework", "scenario", "metric", text("at DESC"), text("cell_id DESC")),
            postgresql_include=["estimate", "low", "high", "n", "mean_log"],
        ),
    )

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell_summary.cell_id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[Metric] = mapped_column(primary_key=True)
    # Copied from the cell's summary, to find histories.
    framework: Mapped[str]
    scenario: Mapped[str]
    at: Mapped[datetime]
    estimate: Mapped[float]
    # 95 % interval; null with fewer than three trials.
    low: Mapped[float | None]
    high: Mapped[float | None]
    n: Mapped[int]
    # Mean and standard deviation (ddof 1) of the trials' natural logarithms, for statistics across
    # cells. Null if a value is not positive or the estimate is a bound; the deviation also with
    # fewer than two trials.
    mean_log: Mapped[float | None]
    sd_log: Mapped[float | None]


class CellChart(Base):
    """Chart data of a cell of an ended run. Charts read this row, not the seconds of trials.

    It outlives the cell's summary, which is written again when the rules of results change.
    """

    __tablename__ = "cell_chart"

    cell_id: Mapped[UUID] = mapped_column(
        ForeignKey("cell.id", ondelete="CASCADE"), primary_key=True
    )
    # Version of the code that computed the row; rows of other versions are computed again.
    # See core.results.cell_charts.
    version: Mapped[int]
    # Latencies in ns of all trials, as uvarint pairs; see core.measurements.histogram.
    latency: Mapped[bytes]
    # Names of the figures in `bands`; those of core.measurements.repository.BANDED at that time.
    figures: Mapped[list[str]] = mapped_column(ARRAY(String))
    # Little-endian float64 in rows of equal length, NaN for a missing value: the seconds (negative
    # in the warm-up), then the lowest, median and highest trial for each of the figures.
    bands: Mapped[bytes]
    # See core.measurements.heat. Empty if an older version stored the row of a run whose seconds
    # were removed.
    heat: Mapped[bytes]
    # Over all trials, and of each trial. Empty unless the load has steps.
    steps: Mapped[list[Step]] = mapped_column(Document(list[Step]))
    trial_steps: Mapped[list[TrialSteps]] = mapped_column(Document(list[TrialSteps]))


class Slo(Base):
    """A service level objective: a limit for a metric, which a run passes or fails."""

    __tablename__ = "slo"
    __table_args__ = (Index("ix_slo_scenario", "scenario"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    # Slugs; null applies to every framework or every profile.
    framework: Mapped[str | None]
    scenario: Mapped[str]
    profile: Mapped[str | None]
    # It applies to loads that have these values.
    parameters: Mapped[Parameters] = mapped_column(
        PlainDocument(Parameters), default=dict, server_default="{}"
    )
    metric: Mapped[Metric]
    # A maximum if lower is better, else a minimum.
    limit: Mapped[float]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Snapshot(Base):
    """A saved comparison. Its name is the hash of its content when it was saved.

    Only an upgrade of Tacho changes it, by renaming fields.
    """

    __tablename__ = "snapshot"

    # SHA-256 of the document's UTF-8 bytes when it was saved, in hexadecimal.
    hash: Mapped[str] = mapped_column(primary_key=True)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    # Canonical JSON as text, because JSONB would reformat numbers and reorder keys.
    document: Mapped[str]
    # The runs whose numbers it holds. A viewer who may open all of them may open the snapshot.
    run_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    # The workspaces of those of its runs that were private when they were deleted. A trigger of the
    # table `run` adds them.
    private_owners: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), server_default="{}")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class StoredGuard(Base):
    """A stored verdict about a change of an own service. Only members of its workspace see it."""

    __tablename__ = "guard"
    __table_args__ = (
        Index(
            "ix_guard_workspace_id_service_created_at_id",
            *("workspace_id", "service", "created_at", "id"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    slug: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    # Name of the service.
    service: Mapped[str]
    # Both follow from the report. They are stored, so that lists need not read the reports.
    verdict: Mapped[GuardVerdict]
    headline: Mapped[str]
    # A results.guard.document.GuardReport.
    report: Mapped[dict[str, object]]
    # The person or token that stored it.
    requested_by: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class GuardSource(Base):
    """The files of a version of an own service, as a command line sent them.

    A workspace sees its own ones only, also if another workspace has the same files.
    """

    __tablename__ = "guard_source"

    workspace_id: Mapped[UUID] = mapped_column(
        ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True
    )
    # SHA-256 (hex) of the content, a tar.gz.
    digest: Mapped[str] = mapped_column(primary_key=True)
    content: Mapped[bytes] = mapped_column(deferred=True, deferred_raiseload=True)
    size_bytes: Mapped[int]
    # When it was sent, or a guard was requested with it.
    used_at: Mapped[datetime] = mapped_column(server_default=func.now())


class RequestedGuard(Base):
    """A guard for a bench host to run. It ends as a stored guard, or with a failure."""

    __tablename__ = "guard_request"
    __table_args__ = (
        # Of the guards that have not ended, which are few.
        Index(
            "ix_guard_request_open",
            *("host_id", "created_at"),
            postgresql_where=text("status IN ('queued', 'running')"),
        ),
        Index("ix_guard_request_workspace_id_created_at", "workspace_id", "created_at"),
    )
    # The columns that a worker reads. The others are closed to bench hosts.
    worker_columns: ClassVar[tuple[str, ...]] = (
        *("id", "workspace_id", "host_id", "status", "document", "base_source", "head_source"),
        *("attempt", "lease_until", "report", "failure", "cancel_requested_at", "created_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    # Name of the service.
    service: Mapped[str]
    # Its host only claims it and gives it back; the dispatcher ends it.
    status: Mapped[GuardStatus] = mapped_column(default=GuardStatus.QUEUED)
    # A results.guard.document.GuardOrder.
    document: Mapped[dict[str, object]]
    # Digests of guard sources.
    base_source: Mapped[str]
    head_source: Mapped[str]
    # The checks that have passed, and the present step; for people.
    progress: Mapped[list[str]] = mapped_column(
        PlainDocument(list[str]), default=list, server_default="[]"
    )
    doing: Mapped[str] = mapped_column(default="", server_default="")
    # How often a worker has claimed it, and until when the worker of the last claim holds it.
    attempt: Mapped[int] = mapped_column(default=0, server_default="0")
    lease_until: Mapped[datetime | None]
    # The result of its host, until the dispatcher stores it. The host may write anything there.
    report: Mapped[dict[str, object] | None] = mapped_column(JSONB(none_as_null=True))
    failure: Mapped[GuardFailure | None] = mapped_column(PlainDocument(GuardFailure))
    # The slug of the stored guard.
    slug: Mapped[str | None]
    # The person or token that requested it.
    requested_by: Mapped[str]
    cancel_requested_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]

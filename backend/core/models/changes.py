"""Changes and incidents, schedules and webhooks."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import EACH, BuildPair, DeliveryAttempt, Parameters, RunRequest
from backend.core.models.document import Document, PlainDocument
from backend.core.models.hosts import Host
from backend.core.models.runs import Run
from backend.core.statuses import (
    ChangeStatus,
    DeliveryStatus,
    IncidentKind,
    MissReason,
    ScheduledRunStatus,
    WebhookEvent,
)
from backend.core.units import Metric, ProfileKind, RuntimeKind


class Change(Base):
    """A change: a level shift of a series, and its status."""

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


class Incident(Base):
    """An incident: the changes with one build on one host, or with one shift of a host."""

    __tablename__ = "incident"
    __table_args__ = (
        Index("ix_incident_at_id", "at", "id"),
        Index("ix_incident_workspace_id_at_id", "workspace_id", "at", "id"),
        Index("ix_incident_host_id_framework_at", "host_id", "framework", "at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"))
    kind: Mapped[IncidentKind]
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    # Slug; null for a shift of the host.
    framework: Mapped[str | None]
    # Creation time of the first run at a new level.
    at: Mapped[datetime]
    # The programs whose build differs, by slug. Empty if the builds are equal or unknown.
    builds: Mapped[dict[str, BuildPair]] = mapped_column(
        PlainDocument(dict[str, BuildPair]), default=dict, server_default="{}"
    )
    note: Mapped[str | None]
    # Time of the webhook message about it.
    announced_at: Mapped[datetime | None]
    found_at: Mapped[datetime] = mapped_column(server_default=func.now())

    host: Mapped[Host] = relationship(lazy="raise")


class Schedule(Base):
    """A schedule: a run that starts repeatedly at set times."""

    __tablename__ = "schedule"
    __table_args__ = (
        Index("ix_schedule_due", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    name: Mapped[str]
    # Cron expression with five fields, in the IANA time zone below.
    cron: Mapped[str]
    time_zone: Mapped[str]
    request: Mapped[RunRequest] = mapped_column(Document(RunRequest))
    # Time of the next run; null while paused.
    next_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def host(self) -> str:
        """Name of the host of all runs; names of several hosts, or `each host`.

        A schedule never changes its host, so that the results of a host form one series.
        """
        if self.request.hosts == EACH:
            return "each host"
        return self.request.host or ", ".join(self.request.hosts or ())


class Webhook(Base):
    """A webhook: a URL that receives events, and the secret that signs the messages."""

    __tablename__ = "webhook"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    workspace_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id"), index=True)
    url: Mapped[str]
    description: Mapped[str]
    events: Mapped[list[WebhookEvent]] = mapped_column(Document(list[WebhookEvent]))
    # Stored in clear text, because signing needs it. The API returns it once, on creation.
    secret: Mapped[str]
    enabled: Mapped[bool] = mapped_column(default=True, server_default="true")
    # Why Tacho disabled it automatically; null otherwise.
    disabled_reason: Mapped[str | None]
    # Number of failed attempts since the last successful one.
    failures_in_a_row: Mapped[int] = mapped_column(default=0, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ScheduledRun(Base):
    """A scheduled run: a start time of a schedule on one host, its status, and the started run."""

    __tablename__ = "scheduled_run"
    __table_args__ = (
        UniqueConstraint("schedule_id", "due_at", "host_id", postgresql_nulls_not_distinct=True),
        # The newest runs of a schedule on one of its hosts.
        Index("ix_scheduled_run_schedule_id_host_id_due_at", "schedule_id", "host_id", "due_at"),
        Index("ix_scheduled_run_watched", "due_at", postgresql_where=text("is_watched")),
        Index("ix_scheduled_run_missed", "due_at", postgresql_where=text("status = 'missed'")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    schedule_id: Mapped[UUID] = mapped_column(ForeignKey("schedule.id", ondelete="CASCADE"))
    due_at: Mapped[datetime]
    # Null if no host was found for the run.
    host_id: Mapped[UUID | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    # Null if no run was started; see the reason.
    run_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("run.id", ondelete="CASCADE"), index=True
    )
    # The status; if it is MISSED, also the reason, and the reason as a sentence.
    status: Mapped[ScheduledRunStatus]
    reason: Mapped[MissReason | None]
    detail: Mapped[str] = mapped_column(default="", server_default="")
    # Number of start times that passed while Tacho was down.
    skipped: Mapped[int] = mapped_column(default=0, server_default="0")
    expected_by: Mapped[datetime | None]
    # True until the status is final.
    is_watched: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    schedule: Mapped[Schedule] = relationship(lazy="raise")
    host: Mapped[Host | None] = relationship(lazy="raise")
    run: Mapped[Run | None] = relationship(lazy="raise")


class WebhookDelivery(Base):
    """The delivery of one event to one webhook: an outbox row, which keeps the log of attempts."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("ix_webhook_delivery_due", "due_at", postgresql_where=text("status = 'pending'")),
        Index("ix_webhook_delivery_webhook_id_created_at", "webhook_id", "created_at"),
    )

    # Also the message's `webhook-id`: the same in every attempt, so that receivers can detect
    # duplicates.
    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    # A core.statuses.WebhookEvent, or TEST_EVENT.
    event: Mapped[str]
    # The exact text that is signed and sent.
    body: Mapped[str]
    status: Mapped[DeliveryStatus]
    # Time of the next attempt; during an attempt, the time after which it counts as lost.
    due_at: Mapped[datetime] = mapped_column(server_default=func.now())
    # Number of attempts since the delivery was requested or requested again.
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    # Oldest first; only the newest are kept.
    log: Mapped[list[DeliveryAttempt]] = mapped_column(
        PlainDocument(list[DeliveryAttempt]), default=list, server_default="[]"
    )
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    webhook: Mapped[Webhook] = relationship(lazy="raise")

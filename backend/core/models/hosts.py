"""Bench hosts: what they can run, their credentials and their events."""

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from sqlalchemy import ARRAY, ForeignKey, String, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from backend.core.db import Base, new_id
from backend.core.documents import FrameworkDocument, Harness, HostDisk, HostFingerprint
from backend.core.models.document import PlainDocument
from backend.core.statuses import HostStatus
from backend.core.units import Metric, RuntimeKind


class Host(Base):
    """A bench host: a machine whose worker takes trials, one at a time."""

    __tablename__ = "host"
    # The columns that a worker reads. The others are closed to bench hosts.
    worker_columns: ClassVar[tuple[str, ...]] = (
        *("id", "name", "queue", "runtime", "runtime_reason", "fingerprint", "fingerprint_digest"),
        *("harness", "service_address", "disk_shortage", "disks", "schema_revision", "joined_at"),
        *("paused_at", "leaving_at", "revoked_at", "seen_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(unique=True)
    # Name of its queue, and TACHO_BENCH_HOST of its worker. It stays when the host gets a new name.
    queue: Mapped[str] = mapped_column(unique=True)
    # The runtime of its trials.
    runtime: Mapped[RuntimeKind]
    # Why its worker chose that runtime and its base images; empty if an older Tacho registered it.
    runtime_reason: Mapped[str] = mapped_column(default="", server_default="")
    fingerprint: Mapped[HostFingerprint] = mapped_column(PlainDocument(HostFingerprint))
    fingerprint_digest: Mapped[str]
    harness: Mapped[Harness] = mapped_column(
        PlainDocument(Harness), default=dict, server_default="{}"
    )
    # The address at which load hosts reach services on it; empty if they cannot.
    service_address: Mapped[str] = mapped_column(default="", server_default="")
    # Which of its disks has too little free space, and what to do. It takes no trials
    # until this is empty.
    disk_shortage: Mapped[str] = mapped_column(default="", server_default="")
    # Its disks with their free space, from its last heartbeat; empty if an older Tacho sends it.
    disks: Mapped[list[HostDisk]] = mapped_column(
        PlainDocument(list[HostDisk]), default=list, server_default="[]"
    )
    # The revision of the schema that its worker needs; null if an older Tacho registered it. If it
    # is not that of the database, the worker waits for its update.
    schema_revision: Mapped[str | None]
    # Slugs of the workspaces that may use it, which never change; null for all workspaces.
    reserved_for: Mapped[list[str] | None] = mapped_column(ARRAY(String))
    # True for a host of example data, which takes no trials.
    example: Mapped[bool] = mapped_column(default=False, server_default="false")
    # When it joined with a key. Null for the bench host of the installation itself.
    joined_at: Mapped[datetime | None]
    # Since when it takes no new trials; null if it takes them.
    paused_at: Mapped[datetime | None]
    # Since when it is to leave: it takes no new trials, and is revoked when its current trial has
    # ended. Null if it stays, or has left.
    leaving_at: Mapped[datetime | None]
    # When it lost its credentials. It keeps its history and can join again.
    revoked_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def status(self) -> HostStatus:
        """Return whether the host may take trials, as operators decided."""
        return find_status(self.revoked_at, self.leaving_at, self.paused_at)


def find_status(
    revoked_at: datetime | None, leaving_at: datetime | None, paused_at: datetime | None
) -> HostStatus:
    """Return the status of a host from the times of the decisions about it."""
    if revoked_at is not None:
        return HostStatus.REVOKED
    if leaving_at is not None:
        return HostStatus.LEAVING
    return HostStatus.READY if paused_at is None else HostStatus.PAUSED


class HostCredential(Base):
    """The user of a bench host in PostgreSQL and Redis. Both have the same name and password.

    A row without a host is revoked. It remains until its users are dropped in both servers.
    """

    __tablename__ = "host_credential"

    # Name of the login role in PostgreSQL and of the ACL user in Redis.
    username: Mapped[str] = mapped_column(primary_key=True)
    host_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("host.id", ondelete="SET NULL"), unique=True
    )
    # SHA-256 in hexadecimal. The password is random and stored nowhere. From this, the user is
    # created again in a Redis that was emptied.
    redis_password_sha256: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class HostLease(Base):
    """A bench host that a worker serves, or that a trial uses, until the lease ends.

    Only functions of the database write it. They compute the end, so no holder chooses it.
    """

    __tablename__ = "host_lease"

    # `Host.queue`. The worker takes the lease before it registers its host.
    queue: Mapped[str] = mapped_column(primary_key=True)
    # `worker` or `trial`.
    purpose: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[UUID]
    lease_until: Mapped[datetime]


class HostFramework(Base):
    """The sources of a framework as a bench host has them.

    A row of a host is written by the host's own worker only.
    """

    __tablename__ = "host_framework"
    __table_args__ = (UniqueConstraint("host_id", "slug", postgresql_nulls_not_distinct=True),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # Null for the services folder of the installation itself, which `tacho migrate` reads.
    host_id: Mapped[UUID | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    slug: Mapped[str]
    digest: Mapped[str]
    # Why the host cannot run it, such as a missing toolchain.
    unavailable: Mapped[str | None]
    manifest: Mapped[FrameworkDocument] = mapped_column(PlainDocument(FrameworkDocument))
    # Position in the catalogue of the host.
    position: Mapped[int]
    # Time since which its files and its manifest are as they are.
    registered_at: Mapped[datetime] = mapped_column(server_default=func.now())


class HostScenario(Base):
    """The sources of a scenario as a bench host has them.

    A row of a host is written by the host's own worker only.
    """

    __tablename__ = "host_scenario"
    __table_args__ = (UniqueConstraint("host_id", "slug", postgresql_nulls_not_distinct=True),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    # Null for the services folder of the installation itself, which `tacho migrate` reads.
    host_id: Mapped[UUID | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    slug: Mapped[str]
    digest: Mapped[str]
    manifest: Mapped[dict[str, object]]
    # Position in the catalogue of the host.
    position: Mapped[int]
    # Time since which its files and its manifest are as they are.
    registered_at: Mapped[datetime] = mapped_column(server_default=func.now())


class HostEvent(Base):
    """A host event: most series of a run shifted together, so the cause is the host."""

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

"""SQL for what bench hosts do now. Every function takes the caller's session and never commits."""

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, any_, exists, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from backend.core.catalog.repository import is_online, is_usable
from backend.core.models import Host, RequestedGuard, Run, Trial
from backend.core.models.hosts import find_status
from backend.core.runs.queue.database_disk import select_reported_shortage
from backend.core.runs.status import STAGES
from backend.core.statuses import GuardStatus, HostStatus
from backend.core.units import RuntimeKind


def list_busy_hosts(session: Session) -> dict[str, UUID]:
    """Return the id of the current run by host name; idle hosts are left out."""
    rows = session.execute(
        select(Host.name, Trial.run_id)
        .join(Trial, Trial.host_id == Host.id)
        .where(Trial.status.in_(STAGES))
    )
    return dict(rows.all())


class HostActivity(NamedTuple):
    """A bench host and its current activity, without its fingerprint.

    Attributes:
        disk_shortage: which of its disks has too little free space; empty if none.
        is_online: whether it sent a recent heartbeat.
        is_busy: whether it has a trial or a guard.
        is_usable: whether runs of the workspace in question may use it.
        database_shortage: why no host may start a trial; empty if none.
    """

    id: UUID
    name: str
    runtime: RuntimeKind
    disk_shortage: str
    schema_revision: str | None
    paused_at: datetime | None
    leaving_at: datetime | None
    revoked_at: datetime | None
    seen_at: datetime
    is_online: bool
    is_busy: bool
    is_usable: bool
    database_shortage: str

    @property
    def status(self) -> HostStatus:
        """Return whether the host may take trials, as operators decided."""
        return find_status(self.revoked_at, self.leaving_at, self.paused_at)

    @property
    def shortage(self) -> str | None:
        """Return which disk has too little space for a trial on the host, and what to do."""
        return self.disk_shortage or self.database_shortage or None


def list_host_activities(
    session: Session, workspace_id: UUID | None, *, with_revoked: bool = False
) -> list[HostActivity]:
    """Return the bench hosts of this installation by name, without those of example data.

    Args:
        workspace_id: whose runs may use them; None for the hosts that all workspaces may use.
    """
    query = _select_listed(workspace_id, with_revoked=with_revoked)
    return [HostActivity._make(row) for row in session.execute(query)]


def get_host_activity(session: Session, workspace_id: UUID | None, host: Host) -> HostActivity:
    """Return one bench host, which may be of example data."""
    query = _select_activities(workspace_id).where(Host.id == host.id)
    return HostActivity._make(session.execute(query).one())


def uses_host(session: Session, host: Host) -> bool:
    """Return whether a trial or a guard runs on a host, or a trial gets its load from it."""
    current = (
        select(Trial.id)
        .join(Run, Run.id == Trial.run_id)
        .where(
            Trial.status.in_(STAGES),
            or_(Trial.host_id == host.id, literal(host.queue) == any_(Run.load_hosts)),
        )
    )
    return session.scalars(select(or_(current.exists(), _runs_guard(host.id)))).one()


# To build the statement takes a large part of the time.
@lru_cache(maxsize=100)
def _select_listed(workspace_id: UUID | None, *, with_revoked: bool) -> Select[*tuple[object, ...]]:
    query = _select_activities(workspace_id).where(~Host.example)
    return query if with_revoked else query.where(Host.revoked_at.is_(None))


@lru_cache(maxsize=100)
def _select_activities(workspace_id: UUID | None) -> Select[*tuple[object, ...]]:
    trial = exists().where(Trial.host_id == Host.id, Trial.status.in_(STAGES))
    current = or_(trial, _runs_guard(Host.id))
    query = select(
        Host.id,
        Host.name,
        Host.runtime,
        Host.disk_shortage,
        Host.schema_revision,
        Host.paused_at,
        Host.leaving_at,
        Host.revoked_at,
        Host.seen_at,
        is_online(),
        current,
        is_usable(workspace_id),
        select_reported_shortage(),
    )
    return query.order_by(Host.name)


def _runs_guard(host_id: UUID | InstrumentedAttribute[UUID]) -> ColumnElement[bool]:
    """Return the condition that a host runs a guard."""
    return exists().where(
        RequestedGuard.host_id == host_id, RequestedGuard.status == GuardStatus.RUNNING
    )

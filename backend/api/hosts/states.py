"""The current activity of bench hosts, and the disk that keeps them from taking trials."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Self

from sqlalchemy.orm import Session

from backend.api.hosts.schemas import HostState
from backend.core.models import Host
from backend.core.runs import repository as runs
from backend.core.schema import get_revision
from backend.core.statuses import HostStatus


@dataclass(frozen=True)
class HostStates:
    """The current activity of all hosts.

    Attributes:
        online: names of hosts with a recent heartbeat.
        busy: names of hosts with a trial.
        database_shortage: why no host may start a trial; empty if none.
    """

    online: Container[str]
    busy: Container[str]
    database_shortage: str

    @classmethod
    def read(cls, session: Session) -> Self:
        """Read it from the database."""
        activities = runs.list_host_activities(session)
        return cls(
            online={activity.name for activity in activities if activity.is_online},
            busy={activity.name for activity in activities if activity.is_busy},
            database_shortage=activities[0].database_shortage if activities else "",
        )

    def find_shortage(self, host: Host) -> str | None:
        """Return which disk has too little space for a trial on a host, and what to do."""
        return host.disk_shortage or self.database_shortage or None

    def find_state(self, host: Host) -> HostState:
        """Return the current activity of a host."""
        if host.name not in self.online:
            return HostState.OFFLINE
        if host.schema_revision != get_revision():
            return HostState.OUTDATED
        if host.status is HostStatus.LEAVING:
            return HostState.LEAVING
        if host.name in self.busy:
            return HostState.BUSY
        if host.status is not HostStatus.READY:
            return HostState.PAUSED
        return HostState.LOW_DISK if self.find_shortage(host) else HostState.IDLE

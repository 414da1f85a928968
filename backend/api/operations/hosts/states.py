"""The current activity of bench hosts as the API names it."""

from backend.api.operations.hosts.schemas import HostState
from backend.core.runs.queue.host_activity import HostActivity
from backend.core.schema import get_revision
from backend.core.statuses import HostStatus


def find_state(host: HostActivity) -> HostState:
    """Return the current activity of a host."""
    if not host.is_online:
        return HostState.OFFLINE
    if host.schema_revision != get_revision():
        return HostState.OUTDATED
    if host.status is HostStatus.LEAVING:
        return HostState.LEAVING
    if host.is_busy:
        return HostState.BUSY
    if host.status is not HostStatus.READY:
        return HostState.PAUSED
    return HostState.LOW_DISK if host.shortage else HostState.IDLE

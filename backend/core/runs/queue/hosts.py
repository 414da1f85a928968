"""Bench hosts that the runs of a workspace may use."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.errors import InvalidRequest, Unavailable
from backend.core.models import Host
from backend.core.statuses import HostStatus


def list_candidates(session: Session, workspace_id: UUID) -> Sequence[Host]:
    """Return the hosts that a workspace may use, by name; at least one.

    Raises:
        Unavailable: there is no host, or all hosts leave or are reserved for other workspaces.
    """
    usable = catalog.list_usable_hosts(session, workspace_id)
    if usable:
        return usable
    hosts = catalog.list_hosts(session)
    if hosts and all(host.status is HostStatus.LEAVING for host in hosts):
        raise Unavailable(
            "All bench hosts are leaving this installation. Ask an operator to add a host."
        )
    if hosts:
        raise Unavailable(
            "All bench hosts are reserved for other workspaces. Ask an operator to reserve one "
            "for this workspace too."
        )
    raise Unavailable(
        "No bench host has registered yet; start a worker (make up does) and try again."
    )


def get_candidate(session: Session, workspace_id: UUID, name: str) -> Host:
    """Return a host by its name.

    Raises:
        Unavailable: as list_candidates.
        InvalidRequest: there is no such host, it leaves or was revoked, or it is reserved for
            other workspaces.
    """
    hosts = {host.name: host for host in list_candidates(session, workspace_id)}
    if name in hosts:
        return hosts[name]
    known = ", ".join(hosts)
    found = catalog.find_host(session, name)
    if found is not None and found.status is HostStatus.REVOKED:
        detail = f"Host {name!r} was revoked; this workspace may use {known}."
    elif found is not None and found.status is HostStatus.LEAVING:
        detail = f"Host {name!r} is leaving; this workspace may use {known}."
    elif found is not None and not found.example:
        detail = f"Host {name!r} is reserved for other workspaces; this workspace may use {known}."
    else:
        detail = f"There is no host {name!r}; there are {known}."
    raise InvalidRequest(f"host: {detail}", [{"field": "host", "detail": detail}])

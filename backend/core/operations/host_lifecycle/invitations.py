"""Keys with which machines join as bench hosts.

A key is shown once, works once, and expires. Only its hash is stored, as for other one-time links.
"""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.catalog.service import register_host
from backend.core.documents import Harness, HostFingerprint
from backend.core.errors import Conflict, NotFound, WrongCode
from backend.core.models import Host, OneTimeLink
from backend.core.operations.bench_hosts.credentials import HostCredentials, create_credentials
from backend.core.people.access.actor import Actor
from backend.core.people.access.keys import hash_key
from backend.core.people.accounts import repository
from backend.core.people.accounts.links import NewLink, create_link
from backend.core.people.audit.recording import set_actor
from backend.core.statuses import LinkPurpose
from backend.core.units import RuntimeKind

KEY_LIFETIME = timedelta(hours=24)

# The same for every key that does not work, so that the response reveals nothing about keys.
_UNUSABLE = (
    "This key does not work: it is wrong, was used or withdrawn, or has expired. An operator "
    "creates a new key on the page Installation → Hosts, or with `tacho host create`."
)


@dataclass(frozen=True)
class JoiningMachine:
    """The properties of a machine that joins."""

    runtime: RuntimeKind
    runtime_reason: str
    fingerprint: HostFingerprint
    fingerprint_digest: str
    harness: Harness


def invite_host(session: Session, name: str, created_by_id: UUID | None) -> NewLink:
    """Create a key with which a machine joins as the host `name`. It replaces an earlier key.

    A host that joined before gets new credentials when the key is used, and keeps its results.

    Raises:
        Conflict: a host that did not join with a key, or a host of example data, has the name.
    """
    host = catalog.find_host(session, name)
    if host is not None and (host.example or host.joined_at is None):
        raise Conflict(_describe_taken(name))
    for link in repository.list_unused_host_links(session, name):
        session.delete(link)
    return create_link(
        session,
        LinkPurpose.BENCH_HOST,
        KEY_LIFETIME,
        host_name=name,
        created_by_id=created_by_id,
    )


def withdraw_key(session: Session, name: str) -> None:
    """Delete the unused key of a host; raise NotFound if there is none."""
    links = repository.list_unused_host_links(session, name)
    if not links:
        raise NotFound(f"No key waits for a host {name!r}.")
    for link in links:
        session.delete(link)
    session.flush()


def lock_key(session: Session, key: str) -> OneTimeLink:
    """Return the link of a key that works, locked until commit; raise WrongCode for any other."""
    link = repository.find_usable_link(session, hash_key(key), is_locked=True, is_of_host=True)
    if link is None:
        raise WrongCode(_UNUSABLE)
    return link


def join(
    session: Session, link: OneTimeLink, machine: JoiningMachine, address: str
) -> tuple[Host, HostCredentials]:
    """Use a key: create the host, or let it join again, and return its new credentials.

    Args:
        link: from `lock_key`.
        address: the network address of the machine.

    Raises:
        Conflict: another host got the name meanwhile, or Tacho may not create users.
    """
    assert link.host_name is not None
    set_actor(session, Actor(f"bench host {link.host_name}", address=address))
    host = catalog.find_host(session, link.host_name)
    if host is not None and host.joined_at is None:
        raise Conflict(_describe_taken(link.host_name))
    host = register_host(
        session,
        _choose_queue(session, link.host_name) if host is None else host.queue,
        runtime=machine.runtime,
        runtime_reason=machine.runtime_reason,
        fingerprint=machine.fingerprint,
        fingerprint_digest=machine.fingerprint_digest,
        harness=machine.harness,
    )
    host.name = link.host_name
    # Its worker has not sent a heartbeat yet.
    host.seen_at = func.now() - catalog.OFFLINE_AFTER
    host.joined_at = datetime.now(UTC)
    host.leaving_at = host.revoked_at = None
    link.used_at = datetime.now(UTC)
    session.flush()
    session.refresh(host)
    return host, create_credentials(session, host)


def _choose_queue(session: Session, name: str) -> str:
    """Return the queue of a new host: its name, unless a renamed host has this queue."""
    if catalog.find_host_of_queue(session, name) is None:
        return name
    return f"{name}-{secrets.token_hex(3)}"


def _describe_taken(name: str) -> str:
    return f"There is a host {name!r} already, and it did not join with a key. Choose another name."

"""Pause, resume, rename and revoke bench hosts, and let them leave."""

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.changes.schedules import repository as schedules
from backend.core.errors import Conflict
from backend.core.models import Host
from backend.core.operations.bench_hosts.credentials import revoke_credentials
from backend.core.people.accounts.repository import list_unused_host_links
from backend.core.people.audit.recording import act_as_tacho
from backend.core.people.tokens import repository as tokens
from backend.core.queue import after_commit, wake_up_worker
from backend.core.runs import repository as runs
from backend.core.runs.queue.host_activity import uses_host
from backend.core.runs.service import cancel_run
from backend.core.runs.trials import repository as trials
from backend.core.statuses import HostStatus


def pause_host(session: Session, host: Host) -> None:
    """Let a host finish its current trial and take no new ones. Its runs wait.

    Raises:
        Conflict: the host is revoked.
    """
    _check_not_revoked(host)
    if host.paused_at is None:
        host.paused_at = func.now()
        _flush(session, host)


def resume_host(session: Session, host: Host) -> None:
    """Let a paused host take trials again.

    Raises:
        Conflict: the host is revoked.
    """
    _check_not_revoked(host)
    if host.paused_at is not None:
        host.paused_at = None
        _flush(session, host)
        _wake_up(session, host)


def rename_host(session: Session, host: Host, name: str) -> None:
    """Give a host another name. Its results, its schedules and its queue stay.

    Raises:
        Conflict: another host has the name, or the host takes its name from its own settings.
    """
    if name == host.name:
        return
    if host.joined_at is None:
        raise Conflict(
            f"{host.name} takes its name from TACHO_BENCH_HOST on its own machine. Only hosts that "
            "joined with a key can be renamed here."
        )
    if catalog.find_host(session, name) is not None:
        raise Conflict(f"There is a host {name!r} already. Choose another name.")
    for schedule in schedules.list_schedules_on(session, host.name):
        schedule.request = schedule.request.rename_host(host.name, name)
    for token in tokens.list_tokens_for(session, host.name):
        assert token.hosts is not None
        token.hosts = [name if other == host.name else other for other in token.hosts]
    for link in list_unused_host_links(session, host.name):
        link.host_name = name
    host.name = name
    _flush(session, host)


def let_host_leave(session: Session, host: Host) -> None:
    """Let a host finish its current trial and take no new ones, and then revoke it.

    A host without a trial is revoked at once. Others are revoked by `revoke_leaving_hosts`.

    Raises:
        Conflict: the host has no credentials of its own.
    """
    _check_revocable(host)
    if host.revoked_at is not None:
        return
    if _has_finished(session, host):
        revoke_host(session, host)
    elif host.leaving_at is None:
        host.leaving_at = func.now()
        _flush(session, host)


def keep_host(session: Session, host: Host) -> None:
    """Let a host stay that was to leave.

    Raises:
        Conflict: the host is revoked.
    """
    _check_not_revoked(host)
    if host.leaving_at is not None:
        host.leaving_at = None
        _flush(session, host)
        _wake_up(session, host)


def revoke_leaving_hosts(session: Session) -> list[str]:
    """Revoke the hosts that leave and have finished their trials, and return their names."""
    finished = [
        host for host in catalog.lock_leaving_hosts(session) if _has_finished(session, host)
    ]
    with act_as_tacho(session):
        for host in finished:
            revoke_host(session, host)
    return [host.name for host in finished]


def revoke_host(session: Session, host: Host) -> None:
    """Take the credentials of a host away, and end its connections at once.

    Its runs that have not ended are cancelled.

    Raises:
        Conflict: the host has no credentials of its own.
    """
    _check_revocable(host)
    if host.revoked_at is not None:
        return
    host.leaving_at, host.revoked_at = None, func.now()
    _flush(session, host)
    revoke_credentials(session, host)
    for run in runs.list_unfinished_on(session, host.id):
        cancel_run(session, run)


def _check_not_revoked(host: Host) -> None:
    if host.status is HostStatus.REVOKED:
        raise Conflict(f"{host.name} was revoked. Create a new key for it, and let it join again.")


def _check_revocable(host: Host) -> None:
    if host.joined_at is None:
        raise Conflict(
            f"{host.name} did not join with a key: its worker belongs to the installation, which "
            "creates its credentials. Pause the host, and stop its worker."
        )


def _has_finished(session: Session, host: Host) -> bool:
    """Return whether no trial runs on a host or gets its load from it.

    No trial of the host is claimed until commit.
    """
    for run in runs.list_unfinished_on(session, host.id):
        # Waits for a claim that has not been committed.
        trials.lock_unfinished(session, run.id)
    return not uses_host(session, host)


def _wake_up(session: Session, host: Host) -> None:
    queue = host.queue
    after_commit(session, lambda: wake_up_worker(queue))


def _flush(session: Session, host: Host) -> None:
    session.flush()
    session.refresh(host)

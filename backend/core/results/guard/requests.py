"""Guards that bench hosts run: request, cancel, recover and end them. Never commits."""

import hashlib
import logging
from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.catalog import repository as catalog
from backend.core.documents import GuardFailure
from backend.core.errors import (
    Conflict,
    InvalidRequest,
    LimitExceeded,
    NotFound,
    TachoError,
    Unavailable,
    WorkerLost,
)
from backend.core.models import Host, RequestedGuard
from backend.core.people.access.viewer import Viewer
from backend.core.people.audit.recording import get_actor
from backend.core.people.tokens.restrictions import restrict_guard
from backend.core.queue import after_commit, signal_host, wake_up_worker
from backend.core.results.guard import requests_repository as repository
from backend.core.results.guard.document import GuardOrder, GuardReport
from backend.core.results.guard.service import store_guard
from backend.core.runs.queue.database_disk import check_database_disk
from backend.core.runs.queue.hosts import get_candidate, list_candidates
from backend.core.statuses import GuardStatus
from backend.core.units import RuntimeKind

_log = logging.getLogger(__name__)

# The name of a host that stands for any one.
ANY_HOST = "any"
# Limits of each workspace.
MOST_OPEN = 20
MOST_STORED_BYTES = 512 * 1024 * 1024
# A guard whose worker is lost is begun again once.
_MOST_ATTEMPTS = 2
_OFFLINE_AFTER = timedelta(minutes=10)
_RETRY_SECONDS = 600.0
_BATCH = 20


def store_source(session: Session, workspace_id: UUID, digest: str, content: bytes) -> None:
    """Store the archive of a version.

    Raises:
        InvalidRequest: the content has another digest.
        LimitExceeded: the workspace has too many of them.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise InvalidRequest(
            f"The archive has the digest {found}, and not {digest}. Send it again."
        )
    check_database_disk()
    stored = repository.count_source_bytes(session, workspace_id)
    if stored + len(content) > MOST_STORED_BYTES:
        raise LimitExceeded(
            f"This workspace stores {stored // 2**20} MiB of versions, and may have "
            f"{MOST_STORED_BYTES // 2**20}. They are removed an hour after their last use.",
            _RETRY_SECONDS,
        )
    repository.put_source(session, workspace_id, digest, content)


def request_guard(
    session: Session,
    workspace_id: UUID,
    order: GuardOrder,
    runtimes: Collection[RuntimeKind],
) -> RequestedGuard:
    """Queue a guard on a bench host.

    Args:
        order: `on` is the name of the host, or ANY_HOST.
        runtimes: where the service can run.

    Raises:
        InvalidRequest: the workspace may not use the host, the service cannot run there, or the
            access token of the session may not guard it there.
        Unavailable: there is no host, or the disk of the database is almost full.
        Conflict: no such host is online, or a source is not stored.
        LimitExceeded: too many guards of the workspace have not ended.
    """
    check_database_disk()
    if repository.count_open(session, workspace_id) >= MOST_OPEN:
        raise LimitExceeded(
            f"{MOST_OPEN} guards of this workspace have not ended, and no more may wait. Cancel "
            "one, or wait.",
            _RETRY_SECONDS,
        )
    host = _choose_host(session, workspace_id, order.on or ANY_HOST, runtimes)
    restrict_guard(session, order.service, host.name)
    digests = {order.base_source, order.head_source}
    if missing := digests - repository.use_sources(session, workspace_id, digests):
        raise Conflict(f"The archive {min(missing)} is not stored. Send it, then try again.")
    guard = RequestedGuard(
        workspace_id=workspace_id,
        host_id=host.id,
        service=order.service,
        document=order.model_copy(update={"on": host.name}).model_dump(mode="json"),
        base_source=order.base_source,
        head_source=order.head_source,
        requested_by=get_actor(session).label,
    )
    session.add(guard)
    session.flush()
    queue = host.queue
    after_commit(session, lambda: wake_up_worker(queue))
    return guard


def _choose_host(
    session: Session, workspace_id: UUID, name: str, runtimes: Collection[RuntimeKind]
) -> Host:
    """Return the host of this name, or the available one with the least work."""
    wanted = " or ".join(sorted(runtimes))
    if name != ANY_HOST:
        host = get_candidate(session, workspace_id, name)
        if host.runtime not in runtimes:
            detail = f"Host {name!r} has the runtime {host.runtime}; the guard needs {wanted}."
            raise InvalidRequest(f"host: {detail}", [{"field": "on", "detail": detail}])
        return host
    available, work = catalog.list_available(session), repository.count_work(session)
    fitting = [
        host
        for host in list_candidates(session, workspace_id)
        if host.runtime in runtimes and host.name in available
    ]
    if not fitting:
        raise Conflict(f"No bench host with the runtime {wanted} is online and takes trials.")
    return min(fitting, key=lambda host: (work.get(host.id, 0), host.name))


def get_request(
    session: Session, guard_id: UUID, viewer: Viewer, *, is_locked: bool = False
) -> RequestedGuard:
    """Return a requested guard; raise NotFound unless the viewer is a member of its workspace."""
    guard = repository.find_request(session, guard_id, is_locked=is_locked)
    is_visible = guard is not None and (
        viewer.is_installation or guard.workspace_id in viewer.memberships
    )
    if guard is None or not is_visible:
        raise NotFound(f"There is no requested guard {str(guard_id)!r}.")
    return guard


def cancel_request(
    session: Session, workspace_id: UUID, guard_id: UUID, viewer: Viewer
) -> RequestedGuard:
    """Cancel a guard of a workspace. An ended guard stays as it is.

    Raises:
        NotFound: the workspace has no such guard.
        InvalidRequest: the access token of the session may not guard its service.
    """
    guard = get_request(session, guard_id, viewer, is_locked=True)
    if guard.workspace_id != workspace_id:
        raise NotFound(f"There is no requested guard {str(guard_id)!r}.")
    restrict_guard(session, guard.service)
    if guard.status in repository.OPEN and guard.cancel_requested_at is None:
        guard.cancel_requested_at = func.now()
        if guard.status is GuardStatus.QUEUED:
            guard.status, guard.finished_at = GuardStatus.CANCELLED, func.now()
        session.flush()
        session.refresh(guard)
        queue = session.get_one(Host, guard.host_id).queue
        after_commit(session, lambda: signal_host(queue))
    return guard


def recover_lost(session: Session, host_id: UUID | None = None) -> None:
    """Queue guards of lost workers again; let them fail if that happened before.

    Args:
        host_id: as in `repository.recover_lost`.
    """
    failure = describe_failure(
        WorkerLost(
            "The bench host was lost twice while it ran the guard: it was killed or paused, or did "
            "not reach the database. Its log has the details."
        )
    )
    repository.recover_lost(session, failure, _MOST_ATTEMPTS, host_id)


def describe_failure(error: TachoError) -> GuardFailure:
    """Return the failure to store with a guard. A host may store 10,000 characters."""
    return GuardFailure(code=error.code, detail=error.detail[:10_000])


def end_guards(session: Session) -> bool:
    """End guards whose hosts are done or gone, and cancelled ones; return whether there were any.

    The report of a host becomes a stored guard.
    """
    found = repository.lock_ended(session, _OFFLINE_AFTER, _BATCH)
    for guard, host in found:
        _end(session, guard, host)
        guard.report, guard.lease_until, guard.finished_at = None, None, func.now()
        guard.doing = ""
    session.flush()
    return bool(found)


def _end(session: Session, guard: RequestedGuard, host: Host) -> None:
    if guard.report is not None:
        try:
            report = _read_report(guard, host)
        except (ValidationError, InvalidRequest) as error:
            _log.warning("the report of guard %s is not valid: %s", guard.id, error)
            guard.failure = GuardFailure(
                code=TachoError.code, detail=f"The bench host {host.name} sent a wrong report."
            )
        else:
            stored = store_guard(session, guard.workspace_id, report, guard.requested_by)
            guard.status, guard.slug = GuardStatus.FINISHED, stored.slug
            return
    elif guard.failure is None and guard.cancel_requested_at is not None:
        guard.status = GuardStatus.CANCELLED
        return
    elif guard.failure is None:
        guard.failure = describe_failure(
            Unavailable(
                f"The bench host {host.name} is not online. Start its worker, or choose another "
                "host with --on."
            )
        )
    guard.status = GuardStatus.FAILED


def _read_report(guard: RequestedGuard, host: Host) -> GuardReport:
    """Return the report of a host, which is about the requested versions and this host."""
    report = GuardReport.model_validate(guard.report)
    order = GuardOrder.model_validate(guard.document)
    if report.service != order.service:
        raise InvalidRequest(f"It is about the service {report.service!r}.")
    return report.model_copy(
        update={
            "host": host.name,
            "base": order.base.model_copy(update={"build": report.base.build}),
            "head": order.head.model_copy(update={"build": report.head.build}),
        }
    )

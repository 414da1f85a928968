"""SQL for guards that bench hosts run, and for their sources. Never commits.

Bench hosts call some of these functions, so statements name only `RequestedGuard.worker_columns`
there.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Update, and_, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from backend.core.catalog.repository import takes_trials
from backend.core.documents import GuardFailure
from backend.core.models import GuardSource, Host, RequestedGuard, Run, Trial
from backend.core.runs.queue.database_disk import has_space_for_trials
from backend.core.runs.status import TRIAL_ENDS
from backend.core.runs.trials.service import LEASE_SECONDS
from backend.core.statuses import GuardStatus, TrialStatus

OPEN = (GuardStatus.QUEUED, GuardStatus.RUNNING)
# Of a command line between its question whether a source is known, and its request.
_SOURCES_KEPT = timedelta(hours=1)
_REQUESTS_KEPT = timedelta(days=30)
_NO_OUTCOME = and_(RequestedGuard.report.is_(None), RequestedGuard.failure.is_(None))
_LEASE = func.now() + timedelta(seconds=LEASE_SECONDS)


class GuardClaim(NamedTuple):
    """A worker's hold of a guard, from its claim until it ends or is claimed again."""

    guard_id: UUID
    attempt: int
    workspace_id: UUID
    document: Mapping[str, object]


def find_source_bytes(session: Session, workspace_id: UUID, digest: str) -> int | None:
    """Return the size of a source of a workspace; None if the workspace does not have it."""
    return session.scalar(select(GuardSource.size_bytes).where(_is_source(workspace_id, digest)))


def put_source(session: Session, workspace_id: UUID, digest: str, content: bytes) -> None:
    """Store a source of a workspace, unless it is stored already."""
    row = {"workspace_id": workspace_id, "digest": digest, "content": content}
    statement = insert(GuardSource).values(**row, size_bytes=len(content))
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["workspace_id", "digest"], set_={"used_at": func.now()}
        )
    )


def count_source_bytes(session: Session, workspace_id: UUID) -> int:
    """Return the size of all sources of a workspace."""
    total = func.coalesce(func.sum(GuardSource.size_bytes), 0)
    return session.scalar(select(total).where(GuardSource.workspace_id == workspace_id)) or 0


def use_sources(session: Session, workspace_id: UUID, digests: Collection[str]) -> set[str]:
    """Keep sources for the next hour; return the digests of those that the workspace has."""
    used = (
        update(GuardSource)
        .where(GuardSource.workspace_id == workspace_id, GuardSource.digest.in_(digests))
        .values(used_at=func.now())
        .returning(GuardSource.digest)
    )
    return set(session.scalars(used))


def read_source(session: Session, workspace_id: UUID, digest: str) -> bytes:
    """Return the content of a source. A host may read those of the guard that it runs."""
    return session.scalars(
        select(GuardSource.content).where(_is_source(workspace_id, digest))
    ).one()


def delete_unneeded(session: Session) -> None:
    """Delete sources that no open guard needs, and requests that ended long ago."""
    is_needed = exists().where(
        RequestedGuard.status.in_(OPEN),
        RequestedGuard.workspace_id == GuardSource.workspace_id,
        or_(
            RequestedGuard.base_source == GuardSource.digest,
            RequestedGuard.head_source == GuardSource.digest,
        ),
    )
    is_old = GuardSource.used_at < func.now() - _SOURCES_KEPT
    session.execute(delete(GuardSource).where(is_old, ~is_needed))
    ended = RequestedGuard.finished_at < func.now() - _REQUESTS_KEPT
    session.execute(delete(RequestedGuard).where(ended))


def count_open(session: Session, workspace_id: UUID) -> int:
    """Return how many guards of a workspace have not ended."""
    query = select(func.count()).where(
        RequestedGuard.workspace_id == workspace_id, RequestedGuard.status.in_(OPEN)
    )
    return session.scalar(query) or 0


def list_open(session: Session, workspace_id: UUID) -> Sequence[RequestedGuard]:
    """Return the guards of a workspace that have not ended, oldest first."""
    query = select(RequestedGuard).where(
        RequestedGuard.workspace_id == workspace_id, RequestedGuard.status.in_(OPEN)
    )
    return session.scalars(query.order_by(RequestedGuard.created_at, RequestedGuard.id)).all()


def find_request(
    session: Session, guard_id: UUID, *, is_locked: bool = False
) -> RequestedGuard | None:
    """Return a requested guard, locked until commit if wanted; None if there is none."""
    query = select(RequestedGuard).where(RequestedGuard.id == guard_id)
    if is_locked:
        query = query.with_for_update().execution_options(populate_existing=True)
    return session.scalars(query).one_or_none()


def count_work(session: Session) -> dict[UUID, int]:
    """Return the number of unfinished trials and guards by host id; idle hosts are left out."""
    work: dict[UUID, int] = {}
    for host_id, count in (
        *session.execute(
            select(Trial.host_id, func.count())
            .where(Trial.status.not_in(TRIAL_ENDS))
            .group_by(Trial.host_id)
        ),
        *session.execute(
            select(RequestedGuard.host_id, func.count())
            .where(RequestedGuard.status.in_(OPEN))
            .group_by(RequestedGuard.host_id)
        ),
    ):
        work[host_id] = work.get(host_id, 0) + count
    return work


def claim_next(session: Session, host_id: UUID) -> GuardClaim | None:
    """Claim a host's next guard and take its lease; None if none waits, or an older run waits."""
    older_run = (
        select(Trial.id)
        .join(Run, Run.id == Trial.run_id)
        .where(
            Trial.host_id == host_id,
            Trial.status == TrialStatus.QUEUED,
            Run.cancel_requested_at.is_(None),
            Run.created_at < RequestedGuard.created_at,
        )
        .exists()
    )
    guard_id = session.scalar(
        select(RequestedGuard.id)
        .join(Host, Host.id == RequestedGuard.host_id)
        .where(
            # No upgrade or backup waits for running trials and guards.
            select(func.try_claim_lock()).scalar_subquery(),
            RequestedGuard.host_id == host_id,
            RequestedGuard.status == GuardStatus.QUEUED,
            RequestedGuard.cancel_requested_at.is_(None),
            _NO_OUTCOME,
            takes_trials(),
            has_space_for_trials(),
            ~older_run,
        )
        .order_by(RequestedGuard.created_at, RequestedGuard.id)
        .limit(1)
        .with_for_update(of=RequestedGuard, skip_locked=True)
    )
    if guard_id is None:
        return None
    claimed = (
        update(RequestedGuard)
        .where(RequestedGuard.id == guard_id)
        .values(
            status=GuardStatus.RUNNING,
            attempt=RequestedGuard.attempt + 1,
            lease_until=_LEASE,
            progress=[],
            doing="",
        )
        .returning(
            RequestedGuard.id,
            RequestedGuard.attempt,
            RequestedGuard.workspace_id,
            RequestedGuard.document,
        )
    )
    return GuardClaim._make(session.execute(claimed, execution_options=_UNSYNCHRONIZED).one())


def renew_lease(session: Session, claim: GuardClaim) -> tuple[bool, bool]:
    """Extend the lease of a guard; return whether the claim holds it, and is to be cancelled."""
    renewed = session.execute(
        _update_held(claim, lease_until=_LEASE).returning(RequestedGuard.cancel_requested_at),
        execution_options=_UNSYNCHRONIZED,
    ).one_or_none()
    return renewed is not None, renewed is not None and renewed[0] is not None


def report_progress(
    session: Session, claim: GuardClaim, progress: Sequence[str], doing: str
) -> None:
    """Store what has passed, and what happens now. It is dropped if the claim is not valid."""
    _write_held(session, claim, progress=list(progress), doing=doing)


def end(
    session: Session,
    claim: GuardClaim,
    report: dict[str, object] | None,
    failure: GuardFailure | None,
) -> None:
    """Store what the host found; the dispatcher ends the guard. Dropped without a valid claim."""
    _write_held(session, claim, report=report, failure=failure, lease_until=None)


def give_back(session: Session, claim: GuardClaim) -> None:
    """Queue a guard again, because its worker is being stopped, or it is to be cancelled."""
    _write_held(session, claim, status=GuardStatus.QUEUED, lease_until=None, doing="")


def recover_lost(
    session: Session, failure: GuardFailure, most_attempts: int, host_id: UUID | None = None
) -> None:
    """Queue guards of lost workers again. The last attempt stores the failure.

    Args:
        host_id: every guard that this host runs is lost; None: those whose lease has expired.
    """
    is_lost = (
        RequestedGuard.lease_until < func.now()
        if host_id is None
        else RequestedGuard.host_id == host_id
    )
    lost = update(RequestedGuard).where(
        RequestedGuard.status == GuardStatus.RUNNING, _NO_OUTCOME, is_lost
    )
    again = {"status": GuardStatus.QUEUED, "lease_until": None, "doing": ""}
    last = RequestedGuard.attempt >= most_attempts
    # The second statement finds what the first one left.
    session.execute(
        lost.where(last).values(failure=failure, **again), execution_options=_UNSYNCHRONIZED
    )
    session.execute(lost.values(**again), execution_options=_UNSYNCHRONIZED)


def lock_ended(
    session: Session, offline_after: timedelta, most: int
) -> Sequence[tuple[RequestedGuard, Host]]:
    """Return guards that are to be ended and their hosts, locked until commit.

    Their host found something, or they are cancelled, or they wait for a host that is gone.
    """
    is_gone = or_(Host.revoked_at.is_not(None), Host.seen_at < func.now() - offline_after)
    waits = RequestedGuard.status == GuardStatus.QUEUED
    query = (
        select(RequestedGuard, Host)
        .join(Host, Host.id == RequestedGuard.host_id)
        .where(
            RequestedGuard.status.in_(OPEN),
            or_(
                ~_NO_OUTCOME,
                and_(waits, RequestedGuard.cancel_requested_at.is_not(None)),
                and_(waits, is_gone),
            ),
        )
        .order_by(RequestedGuard.created_at)
        .limit(most)
        .with_for_update(of=RequestedGuard, skip_locked=True)
    )
    return [(guard, host) for guard, host in session.execute(query)]


_UNSYNCHRONIZED = {"synchronize_session": False}


def _is_source(workspace_id: UUID, digest: str) -> ColumnElement[bool]:
    return and_(GuardSource.workspace_id == workspace_id, GuardSource.digest == digest)


def _update_held(claim: GuardClaim, **values: object) -> Update:
    return (
        update(RequestedGuard)
        .where(
            RequestedGuard.id == claim.guard_id,
            RequestedGuard.attempt == claim.attempt,
            RequestedGuard.status == GuardStatus.RUNNING,
            _NO_OUTCOME,
        )
        .values(**values)
    )


def _write_held(session: Session, claim: GuardClaim, **values: object) -> None:
    session.execute(_update_held(claim, **values), execution_options=_UNSYNCHRONIZED)

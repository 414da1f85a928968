"""SQL for trials and for the leases of hosts. Never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    Interval,
    Select,
    Text,
    any_,
    bindparam,
    cast,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session, defer

from backend.core.catalog.repository import takes_trials
from backend.core.db import IDS, parse_id
from backend.core.documents import TrialLoadHost
from backend.core.errors import NotFound
from backend.core.models import Cell, Framework, Host, RequestedGuard, Run, Scenario, Trial
from backend.core.runs.queue.database_disk import has_space_for_trials
from backend.core.runs.status import STAGES, TRIAL_ENDS
from backend.core.statuses import GuardStatus, TrialStatus
from backend.core.units import ProfileKind

# Name of the advisory lock of a database whose workers must not claim trials. The function
# `try_claim_lock` of the database names it too.
DRAIN_LOCK = "tacho.drain"

_COUNTS = (
    select(Trial.run_id, Trial.status, func.count())
    .where(Trial.run_id == any_(IDS))
    .group_by(Trial.run_id, Trial.status)
)
# Without the documents of a trial's results: a worker writes them once and never reads them.
_ATTEMPT = (
    select(Trial)
    .options(
        *map(
            defer,
            (
                *(Trial.environment, Trial.conformance, Trial.conformance_after, Trial.checks),
                *(Trial.verdicts, Trial.warm_up, Trial.generator, Trial.k6_summary),
                Trial.second_reading,
            ),
        )
    )
    .where(Trial.id == bindparam("trial_id"), Trial.attempt == bindparam("attempt"))
    .with_for_update()
    .execution_options(populate_existing=True)
)


def get_trial(session: Session, trial_id: UUID) -> Trial:
    """Return a trial without its cell; raise NotFound."""
    query = select(Trial).join(Run, Run.id == Trial.run_id).where(Trial.id == trial_id)
    trial = session.scalars(query).one_or_none()
    if trial is None:
        raise NotFound(f"There is no trial {str(trial_id)!r}.")
    return trial


def list_trials(session: Session, run_id: UUID) -> Sequence[Trial]:
    """Return the trials of a run, ordered by position."""
    query = select(Trial).where(Trial.run_id == run_id)
    return session.scalars(query.order_by(Trial.position)).all()


def list_succeeded(session: Session, cell_ids: Collection[UUID]) -> Sequence[Trial]:
    """Return the succeeded trials of these cells, ordered by position."""
    query = select(Trial).where(Trial.cell_id.in_(cell_ids), Trial.status == TrialStatus.SUCCEEDED)
    return session.scalars(query.order_by(Trial.position)).all()


def list_measured_load_hosts(session: Session, run_id: UUID) -> list[list[TrialLoadHost]]:
    """Return the load hosts of each succeeded trial of a run that has some, in trial order."""
    query = select(Trial.environment).where(
        Trial.run_id == run_id, Trial.status == TrialStatus.SUCCEEDED
    )
    found = session.scalars(query.order_by(Trial.position)).all()
    return [environment["load_hosts"] for environment in found if "load_hosts" in environment]


def find_current_start(session: Session, run_id: UUID) -> datetime | None:
    """Return the start time of the current trial of a run; None without one."""
    query = select(Trial.started_at).where(Trial.run_id == run_id, Trial.status.in_(STAGES))
    return session.scalar(query.order_by(Trial.position).limit(1))


def count_trials(session: Session, run_ids: Collection[UUID]) -> dict[UUID, dict[TrialStatus, int]]:
    """Return the number of trials by run id and status."""
    counts: dict[UUID, dict[TrialStatus, int]] = {run_id: {} for run_id in run_ids}
    for run_id, status, count in session.execute(_COUNTS, {IDS.key: list(run_ids)}):
        counts[run_id][TrialStatus(status)] = count
    return counts


def has_unfinished(session: Session, run_id: UUID) -> bool:
    """Return whether a run has a trial that has not ended."""
    unfinished = exists().where(Trial.run_id == run_id, Trial.status.not_in(TRIAL_ENDS))
    return bool(session.scalar(select(unfinished)))


def lock_unfinished(session: Session, run_id: UUID, most: int | None = None) -> Sequence[UUID]:
    """Lock the first trials of a run that have not ended, or all, until commit; return their
    ids."""
    query = select(Trial.id).where(Trial.run_id == run_id, Trial.status.not_in(TRIAL_ENDS))
    return session.scalars(query.order_by(Trial.position).limit(most).with_for_update()).all()


def add_trials(
    session: Session, run: Run, order: Sequence[tuple[UUID, int]], first_position: int = 0
) -> None:
    """Queue trials of a run: cell and repetition of each, in the order of their positions."""
    session.add_all(
        Trial(
            run_id=run.id,
            cell_id=cell_id,
            host_id=run.host_id,
            repetition=repetition,
            position=position,
            status=TrialStatus.QUEUED,
        )
        for position, (cell_id, repetition) in enumerate(order, first_position)
    )
    session.flush()


def cancel_trials(session: Session, trial_ids: Collection[UUID]) -> None:
    """End those of some locked trials that are queued as cancelled."""
    session.execute(
        update(Trial)
        .where(Trial.id.in_(trial_ids), Trial.status == TrialStatus.QUEUED)
        .values(status=TrialStatus.CANCELLED, finished_at=func.now())
    )


# A host takes the oldest run first, then its interleaved order. The lock is taken once, before any
# trial is read.
_NEXT = (
    select(Trial.id)
    .join(Run, Run.id == Trial.run_id)
    .join(Host, Host.id == Trial.host_id)
    .where(
        select(func.try_claim_lock()).scalar_subquery(),
        Trial.host_id == bindparam("of_host"),
        Trial.status == TrialStatus.QUEUED,
        Run.cancel_requested_at.is_(None),
        takes_trials(),
        has_space_for_trials(),
    )
    .order_by(Run.created_at, Run.id, Trial.position)
    .limit(1)
    .with_for_update(of=Trial, skip_locked=True)
)
_CLAIM = (
    update(Trial)
    .where(
        Trial.id == _NEXT.scalar_subquery(),
        *(Run.id == Trial.run_id, Cell.id == Trial.cell_id),
        *(Framework.id == Cell.framework_id, Scenario.id == Cell.scenario_id),
    )
    .values(
        attempt=Trial.attempt + 1,
        status=TrialStatus.BUILDING,
        lease_until=func.now() + bindparam("lease", type_=Interval),
        started_at=func.now(),
        finished_at=None,
        failure=None,
        stage_seconds={},
    )
    .returning(
        *(Trial.id, Trial.attempt, Trial.run_id, Trial.cell_id, Trial.repetition),
        *(Framework.slug, Scenario.slug, Cell.kind, Cell.parameters, Cell.builds),
        *(Cell.framework_digest, Cell.scenario_digest),
        *(Run.load_hosts, Run.created_at, Run.traceparent, Run.request_id),
    )
    .execution_options(synchronize_session=False)
)


class AssignedTrial(NamedTuple):
    """A claimed trial as its worker needs it, without the manifests of the catalogue."""

    trial_id: UUID
    attempt: int
    run_id: UUID
    cell_id: UUID
    repetition: int
    framework: str
    scenario: str
    kind: ProfileKind
    parameters: dict[str, int]
    builds: dict[str, str] | None
    framework_digest: str
    scenario_digest: str
    load_hosts: list[str]
    queued_at: datetime
    traceparent: str | None
    request_id: str | None


def claim_next(session: Session, host_id: UUID, seconds: float) -> AssignedTrial | None:
    """Claim a host's next queued trial for this time, and return it, locked until commit.

    A host that is paused, leaves or is revoked has none, and a host with an almost full disk has
    none either. While the disk of the database is almost full, or an upgrade or a backup waits for
    running trials, no host has one.
    """
    values = {"of_host": host_id, "lease": timedelta(seconds=seconds)}
    row = session.execute(_CLAIM, values).one_or_none()
    return None if row is None else AssignedTrial._make(row)


def list_waiting_queues(session: Session) -> Sequence[str]:
    """Return the queues of hosts that may take one of their queued trials or guards, and run
    none."""
    of_host = exists().where(Trial.host_id == Host.id)
    # Of a table with closed columns, a host may not select all.
    guard = select(RequestedGuard.id).where(RequestedGuard.host_id == Host.id)
    return session.scalars(
        select(Host.queue)
        .where(
            takes_trials(),
            has_space_for_trials(),
            or_(
                of_host.where(Trial.status == TrialStatus.QUEUED),
                guard.where(RequestedGuard.status == GuardStatus.QUEUED).exists(),
            ),
            ~of_host.where(Trial.status.in_(STAGES)),
            ~guard.where(RequestedGuard.status == GuardStatus.RUNNING).exists(),
        )
        .order_by(Host.queue)
    ).all()


def lock_attempt(session: Session, trial_id: UUID, attempt: int) -> Trial | None:
    """Return the trial, locked until commit and read again; None if it has another attempt."""
    values = {"trial_id": trial_id, "attempt": attempt}
    return session.scalars(_ATTEMPT, values).one_or_none()


def renew_lease(
    session: Session, trial_id: UUID, attempt: int, seconds: float
) -> tuple[bool, bool]:
    """Extend the lease of a trial if this attempt holds it.

    Returns whether it holds the trial, and whether the run of the trial should be cancelled.
    """
    renewed = session.execute(
        update(Trial)
        .where(
            *(Trial.id == trial_id, Trial.attempt == attempt, Trial.status.in_(STAGES)),
            Run.id == Trial.run_id,
        )
        .values(lease_until=func.now() + timedelta(seconds=seconds))
        .returning(Run.cancel_requested_at)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    return renewed is not None, renewed is not None and renewed[0] is not None


def list_lost(session: Session, host_id: UUID | None = None) -> Sequence[Trial]:
    """Return trials of any host whose lease has expired, or all trials that `host_id` holds."""
    query: Select[Trial] = select(Trial).where(Trial.status.in_(STAGES))
    if host_id is None:
        query = query.where(Trial.lease_until < func.now())
    else:
        query = query.where(Trial.host_id == host_id)
    query = query.order_by(Trial.run_id, Trial.position)
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def list_held_attempts(session: Session) -> set[tuple[str, int]]:
    """Return id and attempt of all trials with a lease; two hosts may share a Docker engine."""
    rows = session.execute(
        select(Trial.id, Trial.attempt).where(
            Trial.status.in_(STAGES), Trial.lease_until >= func.now()
        )
    )
    return {(str(trial_id), attempt) for trial_id, attempt in rows}


def list_known_trials(session: Session, trial_ids: Collection[str]) -> set[str]:
    """Return those of the ids that belong to trials of this installation."""
    parsed = [identifier for text in trial_ids if (identifier := parse_id(text))]
    return {str(found) for found in session.scalars(select(func.list_own_trials(parsed)))}


def take_host_lease(session: Session, queue: str, holder: UUID) -> bool:
    """Take or renew the lease of a bench host for 30 s; return whether the holder has it.

    Here and below, a host with users of its own may only name itself.
    """
    return bool(session.scalar(select(func.take_host_lease(queue, holder))))


def is_host_lease_held(session: Session, queue: str, holder: UUID) -> bool:
    """Return whether the holder has the lease of a bench host.

    If it has, nobody else takes the lease before the end of this transaction.
    """
    return bool(session.scalar(select(func.holds_host_lease(queue, holder))))


def release_host_lease(session: Session, queue: str, holder: UUID) -> None:
    """End the lease of a bench host, if the holder has it."""
    session.execute(select(func.release_host_lease(queue, holder)))


def reserve_hosts(session: Session, queues: Collection[str], holder: UUID) -> str | None:
    """Reserve hosts for 30 s, and release the other hosts of this holder.

    Returns a host that another holder has, or None if all are reserved. If it returns a host, the
    caller must roll back. A host with users of its own may only reserve itself and the load hosts
    of its unfinished runs.
    """
    names = cast(list(queues), ARRAY(Text))
    busy: str | None = session.scalar(select(func.reserve_hosts(names, holder)))
    return busy


def is_draining(session: Session) -> bool:
    """Return whether an upgrade or a backup waits for running trials, so that none may be claimed.

    If it returns False, an upgrade or a backup waits for the end of this transaction.
    """
    return not session.scalar(select(func.try_claim_lock()))

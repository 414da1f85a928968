"""SQL for runs and trials. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    Connection,
    Function,
    Select,
    any_,
    exists,
    false,
    func,
    select,
    text,
    true,
    update,
)
from sqlalchemy.orm import Session, joinedload, load_only, selectinload

from backend.core.access.viewer import Viewer
from backend.core.catalog.repository import takes_trials
from backend.core.db import IDS, parse_id
from backend.core.documents import Builds, TrialLoadHost
from backend.core.errors import NotFound
from backend.core.models import Cell, Framework, Host, Run, RunGroup, Scenario, Trial
from backend.core.runs.queue.database_disk import has_space_for_trials
from backend.core.runs.run_ids import RunIds
from backend.core.runs.slug import is_slug
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed, is_open
from backend.core.statuses import RunStatus, TrialStatus, Visibility
from backend.core.units import Purpose

# Name of the advisory lock of a database whose workers must not claim trials. The function
# `try_claim_lock` of the database names it too.
DRAIN_LOCK = "tacho.drain"

_COUNTS = (
    select(Trial.run_id, Trial.status, func.count())
    .where(Trial.run_id == any_(IDS))
    .group_by(Trial.run_id, Trial.status)
)

# Joins take less time than further statements. Manifests are long, and only some answers read them.
# They are loaded when they are read, while the session is open.
_WITH_CELLS = (
    joinedload(Run.host, innerjoin=True),
    selectinload(Run.cells).options(
        joinedload(Cell.framework, innerjoin=True).defer(Framework.manifest),
        joinedload(Cell.scenario, innerjoin=True).defer(Scenario.manifest),
    ),
)

# Functions that workers call load only the columns that a bench host may read.
_FOR_WORKERS = load_only(*(getattr(Run, name) for name in Run.worker_columns))


def find_run(session: Session, name: str) -> Run | None:
    """Return a run by id or slug, with host, cells and trials; None if there is none."""
    query = select(Run).options(*_WITH_CELLS, selectinload(Run.trials))
    return _find_named(session, query, name)


def get_run(session: Session, name: str) -> Run:
    """Return a run as find_run does; raise NotFound if there is none."""
    run = find_run(session, name)
    if run is None:
        raise NotFound(f"There is no run {name!r}.")
    return run


def load_manifests(session: Session, run: Run) -> None:
    """Load what an answer may read of the run's frameworks and scenarios after the session ends."""
    frameworks = {cell.framework_id for cell in run.cells}
    scenarios = {cell.scenario_id for cell in run.cells}
    session.scalars(select(Framework).where(Framework.id.in_(frameworks))).all()
    session.scalars(select(Scenario).where(Scenario.id.in_(scenarios))).all()


def get_run_head(session: Session, name: str) -> Run:
    """Return a run by id or slug with host and cells, without trials; raise NotFound."""
    run = _find_named(session, select(Run).options(*_WITH_CELLS), name)
    if run is None:
        raise NotFound(f"There is no run {name!r}.")
    return run


def find_current_start(session: Session, run_id: UUID) -> datetime | None:
    """Return the start time of the current trial of a run; None without one."""
    query = select(Trial.started_at).where(Trial.run_id == run_id, Trial.status.in_(STAGES))
    return session.scalar(query.order_by(Trial.position).limit(1))


class CalibrationHead(NamedTuple):
    """A calibration run without its cells and trials."""

    host_id: UUID
    run_id: UUID
    slug: str
    workspace_id: UUID
    visibility: Visibility
    finished_at: datetime


def list_calibrations(
    session: Session, host_ids: Collection[UUID], framework: str, viewer: Viewer
) -> list[CalibrationHead]:
    """Return the newest succeeded calibration run of each host that measured this framework.

    The viewer may open it. Hosts without one are left out.
    """
    measured = select(Cell.id).join(Framework)
    measured = measured.where(Cell.run_id == Run.id, Framework.slug == framework)
    # Only the newest rows of an index are read, however many calibrations a host has.
    newest = (
        select(Run.id, Run.slug, Run.workspace_id, Run.visibility, Run.finished_at)
        .where(
            Run.host_id == Host.id,
            Run.purpose == Purpose.CALIBRATION,
            Run.status == RunStatus.SUCCEEDED,
            Run.finished_at.is_not(None),
            is_open(viewer),
            measured.exists(),
        )
        .order_by(Run.created_at.desc(), Run.id.desc())
        .limit(1)
        .lateral()
    )
    query = select(Host.id, newest).select_from(Host).join(newest, true())
    query = query.where(Host.id.in_(host_ids))
    return [CalibrationHead._make(row) for row in session.execute(query)]


def list_with_trials(session: Session, run_ids: Collection[UUID]) -> Sequence[Run]:
    """Return these runs with host, cells and trials."""
    query = select(Run).options(*_WITH_CELLS, selectinload(Run.trials)).where(Run.id.in_(run_ids))
    return session.scalars(query).all()


def find_by_key(session: Session, workspace_id: UUID, key: str) -> Run | RunGroup | None:
    """Return what a workspace created with this Idempotency-Key: a run, or a group of runs."""
    run = select(Run).where(Run.workspace_id == workspace_id, Run.idempotency_key == key)
    group = select(RunGroup).where(
        RunGroup.workspace_id == workspace_id, RunGroup.idempotency_key == key
    )
    return session.scalars(run).one_or_none() or session.scalars(group).one_or_none()


def add_group(session: Session, group: RunGroup, runs: Sequence[Run]) -> None:
    """Store a group of runs."""
    session.add(group)
    session.flush()
    for run in runs:
        run.group_slug = group.slug
    session.flush()


def list_of_group(session: Session, slug: str, viewer: Viewer) -> Sequence[Run]:
    """Return the runs of a group that the viewer may open, in the order of the request.

    They have host, cells and trials.
    """
    query = select(Run).options(*_WITH_CELLS, selectinload(Run.trials))
    query = query.where(Run.group_slug == slug, is_open(viewer)).order_by(Run.id)
    return session.scalars(query).all()


def lock_key(session: Session, workspace_id: UUID, key: str) -> None:
    """Lock an Idempotency-Key until commit, so that requests with the same key wait."""
    name = func.hashtextextended(f"tacho.key.{workspace_id}.{key}", 0)
    session.execute(select(func.pg_advisory_xact_lock(name)))


def lock_run(session: Session, run_id: UUID) -> Run:
    """Return the run, locked until commit and read again, with the columns that workers read.

    Code that changes statuses holds this lock, so that counts stay correct. To avoid deadlocks, all
    code locks trials before their run.
    """
    query = select(Run).where(Run.id == run_id).options(_FOR_WORKERS).with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).one()


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


def list_unjudged(session: Session) -> list[RunIds]:
    """Return the ids of runs with an open goal that have no unfinished trial."""
    unfinished = exists().where(Trial.run_id == Run.id, Trial.status.not_in(TRIAL_ENDS))
    rows = session.execute(
        select(Run.id, Run.request_id)
        .where(Run.status == RunStatus.RUNNING, Run.goal.is_not(None), ~unfinished)
        .order_by(Run.created_at)
    )
    return [RunIds(*row) for row in rows]


def list_unfinished_with_goal(session: Session) -> list[RunIds]:
    """Return the ids of running runs with a goal that have queued trials, and none under way."""
    queued = exists().where(Trial.run_id == Run.id, Trial.status == TrialStatus.QUEUED)
    under_way = exists().where(Trial.run_id == Run.id, Trial.status.in_(STAGES))
    rows = session.execute(
        select(Run.id, Run.request_id)
        .where(Run.status == RunStatus.RUNNING, Run.goal.is_not(None), queued, ~under_way)
        .order_by(Run.created_at)
    )
    return [RunIds(*row) for row in rows]


def list_unfinished_on(session: Session, host_id: UUID) -> Sequence[Run]:
    """Return the runs of a host that have not ended, oldest first."""
    query = select(Run).where(Run.host_id == host_id, Run.status.not_in(RUN_ENDS))
    return session.scalars(query.order_by(Run.created_at, Run.id)).all()


def list_requested_builds(session: Session, host_id: UUID) -> Sequence[Builds]:
    """Return the digests of builds that unfinished runs of a host name, by program."""
    query = select(Cell.builds).join(Run, Run.id == Cell.run_id)
    found = session.scalars(
        query.where(
            Run.host_id == host_id, Run.status.not_in(RUN_ENDS), Cell.builds.is_not(None)
        ).distinct()
    )
    return [builds for builds in found if builds is not None]


def count_trials(session: Session, run_ids: Collection[UUID]) -> dict[UUID, dict[TrialStatus, int]]:
    """Return the number of trials by run id and status."""
    counts: dict[UUID, dict[TrialStatus, int]] = {run_id: {} for run_id in run_ids}
    for run_id, status, count in session.execute(_COUNTS, {IDS.key: list(run_ids)}):
        counts[run_id][TrialStatus(status)] = count
    return counts


def find_linkable(session: Session, run_id: UUID | None, viewer: Viewer) -> UUID | None:
    """Return the id of this run if the viewer sees it listed, else None."""
    if run_id is None:
        return None
    return session.scalar(select(Run.id).where(Run.id == run_id, is_listed(viewer)))


def get_trial_row(session: Session, trial_id: UUID) -> Trial:
    """Return a trial without its cell; raise NotFound."""
    query = select(Trial).join(Run, Run.id == Trial.run_id).where(Trial.id == trial_id)
    trial = session.scalars(query).one_or_none()
    if trial is None:
        raise NotFound(f"There is no trial {str(trial_id)!r}.")
    return trial


def get_trial(session: Session, trial_id: UUID) -> Trial:
    """Return a trial with its cell, framework and scenario; raise NotFound."""
    query = select(Trial).options(
        selectinload(Trial.cell).selectinload(Cell.framework),
        selectinload(Trial.cell).selectinload(Cell.scenario),
    )
    query = query.join(Run, Run.id == Trial.run_id).where(Trial.id == trial_id)
    trial = session.scalars(query).one_or_none()
    if trial is None:
        raise NotFound(f"There is no trial {str(trial_id)!r}.")
    return trial


def list_measured_load_hosts(session: Session, run_id: UUID) -> list[list[TrialLoadHost]]:
    """Return the load hosts of each succeeded trial of a run that has some, in trial order."""
    query = select(Trial.environment).where(
        Trial.run_id == run_id, Trial.status == TrialStatus.SUCCEEDED
    )
    found = session.scalars(query.order_by(Trial.position)).all()
    return [environment["load_hosts"] for environment in found if "load_hosts" in environment]


def list_load_hosts_of_cell(session: Session, cell_id: UUID) -> list[str]:
    """Return the queues of the hosts that sent the load of the run with this cell."""
    query = select(Run.load_hosts).join(Cell, Cell.run_id == Run.id).where(Cell.id == cell_id)
    return session.scalars(query).one()


def lock_attempt(session: Session, trial_id: UUID, attempt: int) -> Trial | None:
    """Return the trial, locked until commit and read again; None if it has another attempt."""
    query = select(Trial).where(Trial.id == trial_id, Trial.attempt == attempt).with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).one_or_none()


def find_claimable(session: Session, host_id: UUID) -> Trial | None:
    """Return a host's next queued trial, locked: oldest run first, then interleaved order.

    A host that is paused, leaves or is revoked has none, and a host with an almost full disk has
    none either. While the disk of the database is almost full, no host has one.
    """
    return session.scalars(
        select(Trial)
        .join(Run, Run.id == Trial.run_id)
        .join(Host, Host.id == Trial.host_id)
        .where(
            Trial.host_id == host_id,
            Trial.status == TrialStatus.QUEUED,
            Run.cancel_requested_at.is_(None),
            takes_trials(),
            has_space_for_trials(),
        )
        .order_by(Run.created_at, Run.id, Trial.position)
        .limit(1)
        .with_for_update(of=Trial, skip_locked=True)
    ).one_or_none()


def list_lost(session: Session, host_id: UUID | None = None) -> Sequence[Trial]:
    """Return trials of any host whose lease has expired, or all trials that `host_id` holds."""
    query: Select[Trial] = select(Trial).where(Trial.status.in_(STAGES))
    if host_id is None:
        query = query.where(Trial.lease_until < func.now())
    else:
        query = query.where(Trial.host_id == host_id)
    query = query.order_by(Trial.run_id, Trial.position)
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def list_waiting_queues(session: Session) -> Sequence[str]:
    """Return the queues of hosts that may take one of their queued trials."""
    return session.scalars(
        select(Host.queue)
        .where(
            takes_trials(),
            has_space_for_trials(),
            exists().where(Trial.host_id == Host.id, Trial.status == TrialStatus.QUEUED),
        )
        .order_by(Host.queue)
    ).all()


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


def get_run_row(session: Session, run_id: UUID) -> Run:
    """Return a run without host, cells and trials."""
    return session.get_one(Run, run_id, options=[_FOR_WORKERS])


def has_unfinished(session: Session, run_id: UUID) -> bool:
    """Return whether a run has a trial that has not ended."""
    unfinished = exists().where(Trial.run_id == run_id, Trial.status.not_in(TRIAL_ENDS))
    return bool(session.scalar(select(unfinished)))


def list_trials(session: Session, run_id: UUID) -> Sequence[Trial]:
    """Return the trials of a run, ordered by position."""
    query = select(Trial).where(Trial.run_id == run_id)
    return session.scalars(query.order_by(Trial.position)).all()


def get_run_status(session: Session, run_id: UUID) -> RunStatus:
    """Return the status of a run."""
    return RunStatus(session.scalars(select(Run.status).where(Run.id == run_id)).one())


def renew_lease(session: Session, trial_id: UUID, attempt: int, seconds: float) -> None:
    """Extend the lease of a trial that this attempt holds."""
    session.execute(
        update(Trial)
        .where(Trial.id == trial_id, Trial.attempt == attempt, Trial.status.in_(STAGES))
        .values(lease_until=func.now() + timedelta(seconds=seconds))
    )


def read_hold(session: Session, trial_id: UUID, attempt: int) -> tuple[bool, bool]:
    """Return whether this attempt holds the trial, and whether its run should be cancelled."""
    query = select(Run.cancel_requested_at, Trial.status, Trial.attempt).join(
        Trial, Trial.run_id == Run.id
    )
    row = session.execute(query.where(Trial.id == trial_id)).one_or_none()
    if row is None:
        return False, False
    cancel_requested_at, status, current = row
    return current == attempt and status in STAGES, cancel_requested_at is not None


def cancel_trials(session: Session, trial_ids: Collection[UUID]) -> None:
    """End those of some locked trials that are queued as cancelled."""
    session.execute(
        update(Trial)
        .where(Trial.id.in_(trial_ids), Trial.status == TrialStatus.QUEUED)
        .values(status=TrialStatus.CANCELLED, finished_at=func.now())
    )


def list_cancelling(session: Session) -> Sequence[UUID]:
    """Return the ids of cancelled runs that still have queued trials."""
    queued = exists().where(Trial.run_id == Run.id, Trial.status == TrialStatus.QUEUED)
    query = select(Run.id).where(
        Run.cancel_requested_at.is_not(None), Run.status.not_in(RUN_ENDS), queued
    )
    return session.scalars(query.order_by(Run.cancel_requested_at)).all()


def try_host_lock(connection: Connection, host_name: str) -> bool:
    """Try to take a bench host's advisory lock until the connection closes."""
    return bool(connection.scalar(select(func.try_host_lock(host_name))))


def try_busy_lock(connection: Connection, host_name: str) -> bool:
    """Try to reserve a host for one trial until the connection closes; return whether it is free.

    The trial measures on the host, or the host sends its load. The advisory lock differs from that
    of the host's worker. A host with users of its own may only reserve itself and the load hosts of
    its unfinished runs.
    """
    return bool(connection.scalar(select(func.try_busy_lock(host_name))))


def is_draining(session: Session) -> bool:
    """Return whether an upgrade or a backup waits for running trials, so that none may be claimed.

    If it returns False, an upgrade or a backup waits for the end of this transaction.
    """
    return not session.scalar(select(func.try_claim_lock()))


def is_host_lock_held(session: Session, host_name: str, backend_pid: int) -> bool:
    """Return whether the server process `backend_pid` holds a bench host's advisory lock."""
    key = _host_key(host_name)
    held = text(
        "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database "
        "WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND datname = current_database() "
        "AND pid = :pid AND (classid::bigint << 32) | objid::bigint = :key)"
    )
    return bool(session.scalar(held, {"pid": backend_pid, "key": session.scalar(select(key))}))


def _host_key(host_name: str) -> Function[int]:
    return func.hashtextextended(f"tacho.host.{host_name}", 0)


def get_cell(session: Session, cell_id: UUID) -> Cell:
    """Return a cell; raise NotFound if there is none."""
    cell = session.get(Cell, cell_id)
    if cell is None:
        raise NotFound(f"There is no cell {str(cell_id)!r}.")
    return cell


def list_succeeded(session: Session, cell_ids: Collection[UUID]) -> Sequence[Trial]:
    """Return the succeeded trials of these cells, ordered by position."""
    query = select(Trial).where(Trial.cell_id.in_(cell_ids), Trial.status == TrialStatus.SUCCEEDED)
    return session.scalars(query.order_by(Trial.position)).all()


def may_open_run(session: Session, run_id: UUID, viewer: Viewer) -> bool:
    """Return whether the viewer may open this run."""
    return session.scalar(select(Run.id).where(Run.id == run_id, is_open(viewer))) is not None


def _find_named(session: Session, query: Select[Run], name: str) -> Run | None:
    """Return the run by id or slug, which the query loads with its cells; None if there is none."""
    run = session.scalars(_named(query, name)).one_or_none()
    # A run that was deleted in the meantime has no cells.
    return run if run is not None and run.cells else None


def _named(query: Select[Run], name: str) -> Select[Run]:
    """Select the run by id or slug; text that is neither selects nothing."""
    identifier = parse_id(name)
    if identifier is not None:
        return query.where(Run.id == identifier)
    return query.where(Run.slug == name if is_slug(name) else false())

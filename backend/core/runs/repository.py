"""SQL for runs. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, false, func, or_, select, true
from sqlalchemy.orm import Session, joinedload, load_only, selectinload

from backend.core.db import parse_id
from backend.core.documents import Builds
from backend.core.errors import NotFound
from backend.core.log_context import RunIds
from backend.core.models import Cell, Framework, Host, Run, RunGroup, Scenario, Trial
from backend.core.people.access.viewer import Viewer
from backend.core.runs.slug import is_slug
from backend.core.runs.status import RUN_ENDS, STAGES, TRIAL_ENDS
from backend.core.runs.visibility import is_listed, is_open
from backend.core.statuses import RunStatus, TrialStatus, Visibility
from backend.core.units import Purpose

# Joins take less time than further statements. Manifests are long, and only some answers read them.
# They are loaded when they are read, while the session is open.
_WITH_CELLS = (
    joinedload(Run.host, innerjoin=True),
    selectinload(Run.cells).options(
        joinedload(Cell.framework, innerjoin=True).defer(Framework.manifest),
        joinedload(Cell.scenario, innerjoin=True).defer(Scenario.manifest),
    ),
)

# Between two attempts to finalize a run.
_FIRST_PAUSE = timedelta(seconds=10)
_PAUSE_FACTOR = 4
# Retries never stop: a later version of Tacho may finalize a run that this one cannot.
_LONGEST_PAUSE = timedelta(hours=1)

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


def list_cancelling(session: Session) -> Sequence[UUID]:
    """Return the ids of cancelled runs that still have queued trials."""
    queued = exists().where(Trial.run_id == Run.id, Trial.status == TrialStatus.QUEUED)
    query = select(Run.id).where(
        Run.cancel_requested_at.is_not(None), Run.status.not_in(RUN_ENDS), queued
    )
    return session.scalars(query.order_by(Run.cancel_requested_at)).all()


def pause_after(attempts: int) -> timedelta:
    """Return the pause before the next attempt: 10 s, 40 s, 160 s, 11 min, 43 min, then an hour.

    Args:
        attempts: how many attempts have failed, at least 1.
    """
    pause = _FIRST_PAUSE
    for _ in range(attempts - 1):
        pause = min(pause * _PAUSE_FACTOR, _LONGEST_PAUSE)
    return pause


def list_unfinalized(session: Session) -> list[RunIds]:
    """Return the ids of ended runs that are due for finalization, ordered by end time.

    Runs whose last attempt failed are left out until their pause is over.
    """
    due = (Run.finished_at.is_not(None), *_to_finalize())
    rows = session.execute(select(Run.id, Run.request_id).where(*due).order_by(Run.finished_at))
    return [RunIds(*row) for row in rows]


def claim_unfinalized(session: Session, run_id: UUID) -> Run | None:
    """Return a run that is due, locked until commit; None if another dispatcher has or had it.

    Runs of the same host are finalized one after another, and None is also returned while another
    dispatcher has a run of the host. Otherwise two dispatchers could find the same change of a
    series.
    """
    host_id = session.scalar(select(Run.host_id).where(Run.id == run_id))
    name = func.hashtextextended(f"tacho.finalize.{host_id}", 0)
    if not session.scalar(select(func.pg_try_advisory_xact_lock(name))):
        return None
    query = select(Run.id).where(Run.id == run_id, *_to_finalize())
    claimed = session.scalar(query.with_for_update(skip_locked=True))
    return None if claimed is None else get_run(session, str(claimed))


def mark_finalized(session: Session, run: Run) -> None:
    """Record that the run is finalized."""
    run.finalized_at = func.now()
    run.finalization_error = run.finalize_after = None
    session.flush()


def note_failure(session: Session, run_id: UUID, reason: str) -> Run | None:
    """Record that finalization failed, and set the time of the next attempt.

    Returns None if the run is deleted or was finalized meanwhile.
    """
    run = session.get(Run, run_id, with_for_update=True)
    if run is None or run.finalized_at is not None:
        return None
    run.finalization_attempts += 1
    run.finalization_error = reason
    run.finalize_after = func.now() + pause_after(run.finalization_attempts)
    session.flush()
    return run


def _to_finalize() -> tuple[ColumnElement[bool], ...]:
    # Compared with the clock, not with the start of the transaction, because another dispatcher may
    # have tried while this one waited for the lock.
    is_due = or_(Run.finalize_after.is_(None), Run.finalize_after <= func.clock_timestamp())
    return Run.finalized_at.is_(None), is_due


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


def find_linkable(session: Session, run_id: UUID | None, viewer: Viewer) -> UUID | None:
    """Return the id of this run if the viewer sees it listed, else None."""
    if run_id is None:
        return None
    return session.scalar(select(Run.id).where(Run.id == run_id, is_listed(viewer)))


def list_load_hosts_of_cell(session: Session, cell_id: UUID) -> list[str]:
    """Return the queues of the hosts that sent the load of the run with this cell."""
    query = select(Run.load_hosts).join(Cell, Cell.run_id == Run.id).where(Cell.id == cell_id)
    return session.scalars(query).one()


def get_run_row(session: Session, run_id: UUID) -> Run:
    """Return a run without host, cells and trials."""
    return session.get_one(Run, run_id, options=[_FOR_WORKERS])


def get_cell(session: Session, cell_id: UUID) -> Cell:
    """Return a cell; raise NotFound if there is none."""
    cell = session.get(Cell, cell_id)
    if cell is None:
        raise NotFound(f"There is no cell {str(cell_id)!r}.")
    return cell


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

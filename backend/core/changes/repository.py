"""SQL for the series in which changes are searched, and for the changes found. Never commits.

`listing.py` has the SQL of the API's lists.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.orm import Session, aliased, contains_eager

from backend.core.changes.history.service import Series
from backend.core.changes.listing import is_visible
from backend.core.changes.new_build import OtherSeries
from backend.core.changes.series import SeriesKey
from backend.core.errors import NotFound
from backend.core.models import (
    Cell,
    CellMetric,
    CellSummary,
    Change,
    Framework,
    Host,
    HostEvent,
    Run,
    Scenario,
    Trial,
)
from backend.core.people.access.viewer import INSTALLATION, Viewer
from backend.core.results.repository import is_excluded_from_history
from backend.core.runs.visibility import is_listed
from backend.core.statuses import ChangeStatus, RunStatus, TrialStatus, Visibility
from backend.core.units import Metric, Purpose

# The columns of points, which the readers give their types.
_PointQuery = Select[*tuple[Any, ...]]


def list_changes_like(
    session: Session, series: Sequence[Series], scenario: str, metric: Metric, viewer: Viewer
) -> list[list[Change]]:
    """Return for each series of a history its changes with any digests, oldest first.

    Only changes between runs that the viewer sees.
    """
    query = (
        select(Change)
        .join(Change.host)
        .options(contains_eager(Change.host).load_only(Host.name, raiseload=True))
        .where(
            Change.framework.in_({line.framework for line in series}),
            Change.scenario == scenario,
            Change.metric == metric,
            *is_visible(viewer),
        )
        .order_by(Change.at)
    )
    changes = session.scalars(query).all()
    return [[change for change in changes if _is_of(change, line)] for line in series]


def _is_of(change: Change, series: Series) -> bool:
    return (
        change.framework == series.framework
        and change.host.name == series.host
        and change.runtime == series.runtime
        and change.profile == series.profile
        and change.parameters == series.parameters
    )


class SeriesPoint(NamedTuple):
    """One cell of a series."""

    cell_id: UUID
    run_slug: str
    at: datetime
    image_digest: str | None
    estimate: float
    low: float | None
    high: float | None
    mean_log: float
    sd_log: float | None
    trials: int


def list_series(
    session: Session, key: SeriesKey, *, since: datetime | None = None, limit: int
) -> Sequence[SeriesPoint]:
    """Return the newest `limit` valid points of a series since this creation time, oldest first."""
    query = _select_points(key).order_by(CellSummary.at.desc(), CellSummary.cell_id.desc())
    if since is not None:
        query = query.where(CellSummary.at >= since)
    rows = session.execute(query.limit(limit)).all()
    return [SeriesPoint._make(row) for row in reversed(rows)]


def list_around(
    session: Session, changes: Sequence[Change], *, viewer: Viewer = INSTALLATION, limit: int
) -> dict[UUID, list[SeriesPoint]]:
    """Return up to `limit` valid points on each side of each change, oldest first, by its id.

    Args:
        viewer: only points of runs that this viewer sees.
    """
    found: dict[UUID, list[SeriesPoint]] = {change.id: [] for change in changes}
    parameters = {"changes": list(found), "limit": limit}
    for change_id, *point in session.execute(_select_around(viewer), parameters):
        found[change_id].append(SeriesPoint._make(point))
    return found


# To build the statement takes a third of the time.
@lru_cache(maxsize=100)
def _select_around(viewer: Viewer) -> _PointQuery:
    """Select the id of each of `changes`, and up to `limit` points on each side of it."""
    # Only the nearest rows of an index are read, however long a series is.
    points = _select_points(Change).where(is_listed(viewer)).limit(bindparam("limit"))
    before = points.where(CellSummary.at < Change.at).order_by(
        CellSummary.at.desc(), CellSummary.cell_id.desc()
    )
    after = points.where(CellSummary.at >= Change.at).order_by(CellSummary.at, CellSummary.cell_id)
    around = union_all(before.correlate(Change), after.correlate(Change)).lateral()
    return (
        select(Change.id, around)
        .join(around, true())
        .where(Change.id.in_(bindparam("changes", expanding=True)))
        .order_by(around.c.at, around.c.cell_id)
    )


def _select_points(key: SeriesKey | type[Change]) -> _PointQuery:
    """Select the valid points of a series, or of the series of a change that is selected too."""
    return (
        select(
            CellSummary.cell_id,
            Run.slug,
            CellSummary.at,
            CellSummary.image_digest,
            CellMetric.estimate,
            CellMetric.low,
            CellMetric.high,
            CellMetric.mean_log,
            CellMetric.sd_log,
            CellMetric.n,
        )
        .join(CellMetric, CellMetric.cell_id == CellSummary.cell_id)
        .join(Run, Run.id == CellSummary.run_id)
        .where(CellSummary.framework == key.framework, *_is_measured_as(key))
    )


def _is_measured_as(key: SeriesKey | type[Change]) -> list[ColumnElement[bool]]:
    """Return the conditions that a series shares with series of other frameworks."""
    return [
        CellSummary.workspace_id == key.workspace_id,
        CellSummary.scenario == key.scenario,
        CellSummary.profile == key.profile,
        CellSummary.parameters == key.parameters,
        CellSummary.runtime == key.runtime,
        CellSummary.host_id == key.host_id,
        CellSummary.host_digest == key.host_digest,
        CellSummary.harness_digest == key.harness_digest,
        CellSummary.scenario_digest == key.scenario_digest,
        ~is_excluded_from_history(),
        CellMetric.metric == key.metric,
        CellMetric.mean_log.is_not(None),
        Run.purpose == Purpose.COMPARISON,
    ]


def list_other_series(session: Session, key: SeriesKey, runs: Collection[str]) -> list[OtherSeries]:
    """Return the series of other frameworks in these runs under the same conditions."""
    query = (
        select(CellSummary.framework, Run.slug, CellSummary.image_digest, CellMetric.mean_log)
        .join(CellMetric, CellMetric.cell_id == CellSummary.cell_id)
        .join(Run, Run.id == CellSummary.run_id)
        .where(*_is_measured_as(key), CellSummary.framework != key.framework, Run.slug.in_(runs))
    )
    logs: dict[str, dict[str, float]] = {}
    builds: dict[str, set[str | None]] = {}
    for framework, slug, build, mean_log in session.execute(query):
        assert mean_log is not None
        logs.setdefault(framework, {})[slug] = mean_log
        builds.setdefault(framework, set()).add(build)
    return [OtherSeries(logs[framework], frozenset(builds[framework])) for framework in logs]


def list_summaries(session: Session, run_id: UUID) -> list[tuple[CellSummary, Collection[Metric]]]:
    """Return the cells of a finalized run, each with its metrics that have a mean logarithm."""
    cells = session.scalars(select(CellSummary).where(CellSummary.run_id == run_id)).all()
    metrics: dict[UUID, set[Metric]] = {cell.cell_id: set() for cell in cells}
    query = select(CellMetric.cell_id, CellMetric.metric)
    query = query.where(CellMetric.cell_id.in_(metrics), CellMetric.mean_log.is_not(None))
    for cell_id, metric in session.execute(query):
        metrics[cell_id].add(metric)
    return [(cell, metrics[cell.cell_id]) for cell in cells]


def list_outrun(session: Session, run: Run) -> set[UUID]:
    """Return the cells of a run that a later, ended run of the host has measured again."""
    own, later, later_run = aliased(Cell), aliased(Cell), aliased(Run)
    query = (
        select(own.id)
        .join(
            later,
            and_(
                later.framework_id == own.framework_id,
                later.scenario_id == own.scenario_id,
                later.profile == own.profile,
                later.parameters == own.parameters,
            ),
        )
        .join(later_run, later_run.id == later.run_id)
        .where(
            own.run_id == run.id,
            later_run.workspace_id == run.workspace_id,
            later_run.host_id == run.host_id,
            later_run.purpose == Purpose.COMPARISON,
            later_run.finished_at.is_not(None),
            tuple_(later_run.created_at, later_run.id) > (run.created_at, run.id),
            exists().where(Trial.cell_id == later.id, Trial.status == TrialStatus.SUCCEEDED),
        )
    )
    return set(session.scalars(query))


def find_builds(session: Session, cell_id: UUID) -> dict[str, str] | None:
    """Return the digests of a cell's builds by program slug; None if they were not recorded."""
    query = select(Trial.environment).where(
        Trial.cell_id == cell_id, Trial.status == TrialStatus.SUCCEEDED
    )
    environment = session.scalars(query.limit(1)).first()
    return environment.get("builds") if environment else None


def lock_changes_of(session: Session, key: SeriesKey) -> Sequence[Change]:
    """Return all changes of a series, oldest first.

    They are locked until commit, because a user may decide at the same time.
    """
    query = select(Change).where(
        Change.workspace_id == key.workspace_id, Change.series_digest == key.digest
    )
    query = query.order_by(Change.at, Change.id).with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).all()


def list_neighbours(session: Session, change: Change) -> Sequence[datetime]:
    """Return the times of the other changes of the series, without dismissed ones."""
    query = select(Change.at).where(
        Change.workspace_id == change.workspace_id,
        Change.series_digest == change.series_digest,
        Change.id != change.id,
        Change.status != ChangeStatus.DISMISSED,
    )
    return session.scalars(query).all()


def add_change(session: Session, change: Change) -> Change:
    """Add a new change."""
    session.add(change)
    session.flush()
    return change


def add_host_event(session: Session, event: HostEvent) -> HostEvent:
    """Add a new host event."""
    session.add(event)
    session.flush()
    return event


def list_testing(session: Session, run_id: UUID) -> Sequence[Change]:
    """Return the changes that wait for the result of this run, locked until commit."""
    query = select(Change).where(
        Change.confirmation_run_id == run_id, Change.status == ChangeStatus.TESTING
    )
    return session.scalars(query.order_by(Change.id).with_for_update()).all()


def find_confirmation(
    session: Session,
    change: Change,
    builds: Sequence[Mapping[str, str]],
    pairs: int,
    visibility: str,
) -> Run | None:
    """Return the newest confirmation run of two builds under a change's load and on its host.

    It has not failed, has this visibility and at least this many pairs, and was created after the
    change: an earlier run cannot show the present level of the old build.
    """
    old, new = aliased(Cell), aliased(Cell)
    query = (
        select(Run)
        .join(old, old.run_id == Run.id)
        .join(new, new.run_id == Run.id)
        .join(Framework, Framework.id == old.framework_id)
        .join(Scenario, Scenario.id == old.scenario_id)
        .where(
            Run.purpose == Purpose.CONFIRMATION,
            Run.workspace_id == change.workspace_id,
            Run.host_id == change.host_id,
            Run.status.not_in({RunStatus.CANCELLED, RunStatus.FAILED}),
            Run.created_at >= change.at,
            Run.trials_per_cell >= pairs,
            Run.visibility == visibility,
            Framework.slug == change.framework,
            Scenario.slug == change.scenario,
            old.profile == change.profile,
            old.parameters == change.parameters,
            old.position == 0,
            old.builds == builds[0],
            new.position == 1,
            new.builds == builds[1],
        )
    )
    return session.scalars(query.order_by(Run.created_at.desc()).limit(1)).one_or_none()


def lock_change(session: Session, workspace_id: UUID, change_id: UUID) -> Change:
    """Return a change, locked until commit and read again; raise NotFound."""
    query = select(Change).where(Change.id == change_id, Change.workspace_id == workspace_id)
    query = query.with_for_update()
    locked = query.execution_options(populate_existing=True)
    change = session.scalars(locked).one_or_none()
    if change is None:
        raise NotFound(f"There is no change {str(change_id)!r}.")
    return change


def list_visibilities(session: Session, change: Change) -> Sequence[Visibility]:
    """Return the visibilities of the runs before and after a change."""
    sides = (change.before_cell_id, change.after_cell_id)
    query = select(Run.visibility).join(CellSummary, CellSummary.run_id == Run.id)
    return session.scalars(query.where(CellSummary.cell_id.in_(sides))).all()

"""SQL for summaries of cells. Every function takes the caller's session and never commits."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    cast,
    exists,
    func,
    or_,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import JSONPATH, distinct_on
from sqlalchemy.orm import Session, defer, load_only

from backend.core.documents import TrialEnvironment
from backend.core.measurement.measurements.verdicts import EXCLUDING_FROM_HISTORY
from backend.core.measurement.statistics.estimate import Estimate, is_open_interval
from backend.core.models import (
    CellMetric,
    CellSummary,
    Framework,
    Host,
    MetricValue,
    Run,
    Scenario,
    Trial,
)
from backend.core.people.access.viewer import PUBLIC, Viewer
from backend.core.runs.slug import is_slug
from backend.core.runs.visibility import is_listed, is_open, write_is_listed
from backend.core.statuses import RunOutcome, TrialStatus
from backend.core.units import Metric, ProfileKind, Purpose

# Matches the verdicts of a cell that exclude it from histories.
_OF_HISTORY = cast(
    "$[*].verdict ? ("
    + " || ".join(f'@ == "{verdict}"' for verdict in sorted(EXCLUDING_FROM_HISTORY))
    + ")",
    JSONPATH,
)


# Steps from one series of the framework to the next in an index, and reads the newest rows of each.
# OFFSET keeps PostgreSQL from joining all rows of a series before it looks for the newest run.
_NEWEST_RESULTS = """
    WITH RECURSIVE series AS (
        (SELECT scenario, profile, host_id FROM cell_summary WHERE framework = %(framework)s
        ORDER BY scenario, profile, host_id LIMIT 1)
        UNION ALL
        SELECT following.* FROM series CROSS JOIN LATERAL (
            SELECT scenario, profile, host_id FROM cell_summary WHERE framework = %(framework)s
                AND (scenario, profile, host_id)
                    > (series.scenario, series.profile, series.host_id)
            ORDER BY scenario, profile, host_id LIMIT 1
        ) AS following
    )
    SELECT cell.id FROM series JOIN host ON host.id = series.host_id
    CROSS JOIN LATERAL (
        SELECT run.id FROM cell_summary AS summary JOIN run ON run.id = summary.run_id
        WHERE summary.framework = %(framework)s AND summary.scenario = series.scenario
            AND summary.profile = series.profile AND summary.host_id = series.host_id
            AND run.purpose = '{purpose}' AND {listed}
        ORDER BY summary.at DESC, summary.cell_id DESC LIMIT 1
    ) AS newest
    CROSS JOIN LATERAL (
        SELECT cell_id FROM cell_summary WHERE run_id = newest.id
            AND framework = %(framework)s AND scenario = series.scenario
            AND profile = series.profile
        OFFSET 0
    ) AS summary
    JOIN cell ON cell.id = summary.cell_id
    ORDER BY series.scenario, series.profile, host.name, cell.position
"""


def counts_for(viewer: Viewer) -> ColumnElement[bool]:
    """Return the condition that a cell's summary counts on a viewer's pages over several runs.

    Those of confirmation runs never count. The condition excludes the few runs that do not count,
    because an index holds only these.
    """
    if viewer.workspace is not None:
        return and_(CellSummary.workspace_id == viewer.workspace, _is_compared())
    is_apart = Run.purpose != Purpose.COMPARISON
    return CellSummary.run_id.not_in(select(Run.id).where(or_(is_apart, ~is_listed(viewer))))


def is_excluded_from_history() -> ColumnElement[bool]:
    """Return the condition that a verdict excludes a cell from histories.

    A result that was not steady is still a point of a history. A result that the host disturbed is
    not.
    """
    return func.jsonb_path_exists(CellSummary.verdicts, _OF_HISTORY)


def _is_compared() -> ColumnElement[bool]:
    """Return the condition that a cell's summary is of a comparison run.

    All summaries of the services that calibrate hosts are excluded without reading their runs.
    """
    return CellSummary.run_id.not_in(select(Run.id).where(Run.purpose != Purpose.COMPARISON))


class CellRow(NamedTuple):
    """A cell's summary with its run, the name of its host, its framework and scenario."""

    summary: CellSummary
    run: Run
    host: str
    framework: Framework
    scenario: Scenario


def _select_cells() -> Select[CellSummary, Run, str, Framework, Scenario]:
    return (
        select(CellSummary, Run, Host.name, Framework, Scenario)
        .join(Run, Run.id == CellSummary.run_id)
        .join(Host, Host.id == CellSummary.host_id)
        .join(Framework, Framework.slug == CellSummary.framework)
        .join(Scenario, Scenario.slug == CellSummary.scenario)
        # Long documents that are not needed here.
        .options(
            defer(Framework.manifest, raiseload=True), defer(Scenario.manifest, raiseload=True)
        )
    )


def list_summaries(session: Session, run_id: UUID) -> dict[UUID, CellSummary]:
    """Return the stored summaries of a run's cells by cell id."""
    query = select(CellSummary).where(CellSummary.run_id == run_id)
    return {summary.cell_id: summary for summary in session.scalars(query)}


def list_cells(session: Session, cell_ids: Collection[UUID]) -> Sequence[CellRow]:
    """Return these cells ordered by id, oldest first; cells without a result are left out."""
    query = _select_cells().where(CellSummary.cell_id.in_(cell_ids)).order_by(CellSummary.cell_id)
    return [CellRow(*row) for row in session.execute(query)]


def list_estimates(
    session: Session, cell_ids: Collection[UUID], metrics: Collection[Metric]
) -> dict[UUID, dict[Metric, Estimate]]:
    """Return estimates of these metrics by cell id."""
    columns = (
        CellMetric.cell_id,
        CellMetric.metric,
        CellMetric.estimate,
        CellMetric.low,
        CellMetric.high,
        CellMetric.n,
    )
    query = select(*columns).where(CellMetric.cell_id.in_(cell_ids))
    found: dict[UUID, dict[Metric, Estimate]] = {}
    query = query.where(CellMetric.metric.in_(metrics))
    for cell_id, metric, estimate, low, high, n in session.execute(query):
        found.setdefault(cell_id, {})[Metric(metric)] = Estimate(
            estimate, low, high, n, is_bound=is_open_interval(low, high)
        )
    return found


def list_metrics(session: Session, cell_ids: Collection[UUID]) -> Sequence[Metric]:
    """Return the metrics for which any of these cells has an estimate."""
    query = select(CellMetric.metric).where(CellMetric.cell_id.in_(cell_ids)).distinct()
    return [Metric(metric) for metric in session.scalars(query)]


class NewestCell(NamedTuple):
    """The newest result of a history, with the kind of its load."""

    cell_id: UUID
    kind: ProfileKind


def find_newest_cell(
    session: Session,
    frameworks: Collection[str],
    scenario: str,
    *,
    load: tuple[str, Mapping[str, int]] | None = None,
    host: str | None,
    viewer: Viewer,
) -> NewestCell | None:
    """Return the newest result of these frameworks; an excluded one only if none is valid.

    Args:
        load: only results with this profile and these parameters.
    """
    # Only an index is read.
    query = select(CellSummary.cell_id, CellSummary.kind).where(
        CellSummary.framework.in_(frameworks),
        CellSummary.scenario == scenario,
        counts_for(viewer),
    )
    if host is not None:
        query = query.join(Host, Host.id == CellSummary.host_id).where(Host.name == host)
    if load is not None:
        profile, parameters = load
        query = query.where(
            CellSummary.profile == profile, CellSummary.parameters == dict(parameters)
        )
    query = query.order_by(CellSummary.at.desc(), CellSummary.cell_id.desc()).limit(1)
    valid = session.execute(query.where(CellSummary.excluded.is_(False))).first()
    found = valid or session.execute(query).first()
    return None if found is None else NewestCell._make(found)


def list_newest_cells(session: Session, framework: str, viewer: Viewer) -> list[UUID]:
    """Return the cells of a framework in the newest comparison of each scenario, profile and host.

    They are ordered by scenario, profile, host and position.

    Args:
        viewer: only runs that this viewer sees listed count.
    """
    listed, parameters = write_is_listed(viewer)
    statement = _NEWEST_RESULTS.format(listed=listed, purpose=Purpose.COMPARISON)
    rows = session.connection().exec_driver_sql(statement, parameters | {"framework": framework})
    return [row.id for row in rows]


def get_kind(session: Session, cell_id: UUID) -> ProfileKind:
    """Return the kind of a summarised cell's load."""
    query = select(CellSummary.kind).where(CellSummary.cell_id == cell_id)
    return ProfileKind(session.scalars(query).one())


def list_measured_hosts(session: Session, scenario: str, *, viewer: Viewer) -> Sequence[str]:
    """Return the names of bench hosts with results of this scenario, including example data."""
    results = exists().where(
        CellSummary.host_id == Host.id,
        CellSummary.scenario == scenario,
        counts_for(viewer),
    )
    return session.scalars(select(Host.name).where(results).order_by(Host.name)).all()


def list_values(
    session: Session, cell_ids: Collection[UUID], metrics: Collection[Metric]
) -> dict[UUID, dict[Metric, dict[int, float]]]:
    """Return the values of succeeded trials by cell id, metric and repetition."""
    query = (
        select(Trial.cell_id, MetricValue.metric, Trial.repetition, MetricValue.value)
        .join(MetricValue, MetricValue.trial_id == Trial.id)
        .where(
            Trial.cell_id.in_(cell_ids),
            Trial.status == TrialStatus.SUCCEEDED,
            MetricValue.metric.in_(metrics),
        )
        .order_by(Trial.cell_id, Trial.repetition)
    )
    found: dict[UUID, dict[Metric, dict[int, float]]] = {}
    for cell_id, metric, repetition, value in session.execute(query):
        found.setdefault(cell_id, {}).setdefault(Metric(metric), {})[repetition] = value
    return found


def list_environments(session: Session, cell_ids: Collection[UUID]) -> dict[UUID, TrialEnvironment]:
    """Return the environment of the first succeeded trial by cell id."""
    query = (
        select(Trial.cell_id, Trial.environment)
        .where(Trial.cell_id.in_(cell_ids), Trial.status == TrialStatus.SUCCEEDED)
        .ext(distinct_on(Trial.cell_id))
        .order_by(Trial.cell_id, Trial.position)
    )
    return dict(session.execute(query).all())


def list_candidates(
    session: Session,
    *,
    framework: str | None,
    scenario: str | None,
    host: str | None,
    run: str | None,
    search: str | None,
    viewer: Viewer,
    before: tuple[datetime, UUID] | None,
    limit: int,
) -> Sequence[CellRow]:
    """Return cells of comparison runs that have a result, newest first.

    Of their runs, only the slug and the title are loaded.

    Args:
        run: slug of a run, which is enough to see an unlisted one, or a part of its title.
        search: each word is a part of the framework's name, or of the run's title or slug.
        before: time and id of the last cell of the previous page.
    """
    is_named = run is not None and is_slug(run)
    query = _select_cells().options(load_only(Run.slug, Run.title, raiseload=True))
    query = query.where(_is_compared(), is_open(viewer) if is_named else is_listed(viewer))
    if framework is not None:
        query = query.where(CellSummary.framework == framework)
    if scenario is not None:
        query = query.where(CellSummary.scenario == scenario)
    if host is not None:
        query = query.where(Host.name == host)
    if run is not None:
        named_run = Run.slug == run if is_named else Run.title.icontains(run, autoescape=True)
        query = query.where(named_run)
    for word in (search or "").split():
        named = (Framework.name, Framework.slug, Run.title, Run.slug)
        query = query.where(or_(*(column.icontains(word, autoescape=True) for column in named)))
    if before is not None:
        query = query.where(tuple_(CellSummary.at, CellSummary.cell_id) < before)
    query = query.order_by(CellSummary.at.desc(), CellSummary.cell_id.desc()).limit(limit)
    return [CellRow(*row) for row in session.execute(query)]


class SummaryRow(NamedTuple):
    """A cell's summary with one of its metrics, its run's outcome and its host."""

    summary: CellSummary
    metric: CellMetric
    run_slug: str
    outcome: RunOutcome | None
    host: str


def find_public_point(
    session: Session,
    framework: str,
    scenario: str,
    metric: Metric,
    *,
    host: str | None,
    profile: str | None,
    parameters: Mapping[str, int],
) -> SummaryRow | None:
    """Return the newest valid result of a public comparison run whose own
    parameters include these.
    """
    query = (
        select(CellSummary, CellMetric, Run.slug, Run.outcome, Host.name)
        .join(CellMetric, CellMetric.cell_id == CellSummary.cell_id)
        .join(Run, Run.id == CellSummary.run_id)
        .join(Host, Host.id == CellSummary.host_id)
        .where(
            CellSummary.framework == framework,
            CellSummary.scenario == scenario,
            CellMetric.metric == metric,
            Run.purpose == Purpose.COMPARISON,
            is_listed(PUBLIC),
            ~CellSummary.excluded,
            CellSummary.parameters.contains(parameters),
        )
        .order_by(CellSummary.at.desc(), CellSummary.cell_id.desc())
        .limit(1)
    )
    if host is not None:
        query = query.where(Host.name == host)
    if profile is not None:
        query = query.where(CellSummary.profile == profile)
    row = session.execute(query).one_or_none()
    return None if row is None else SummaryRow(*row)

"""SQL for histories. Every function takes the caller's session and never commits."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import BigInteger, ColumnElement, Text, and_, cast, func, select
from sqlalchemy.orm import Session

from backend.core.models import (
    CellMetric,
    CellSummary,
    Host,
    Run,
)
from backend.core.people.access.viewer import Viewer
from backend.core.results.repository import counts_for, is_excluded_from_history
from backend.core.units import Metric, ProfileKind


class PointRow(NamedTuple):
    """A point of a history: one cell of one finished run, with one metric's estimate.

    `parameters` is their JSON text, equal for equal parameters. `mean_log` is None if a value of a
    trial has no logarithm; `low` and `high` are None with a single trial. `is_unranked`: a verdict
    excludes it from rankings, `excluded`: from histories too.
    """

    run_id: UUID
    run_slug: str
    cell_id: UUID
    at: datetime
    host: str
    runtime: str
    profile: str
    parameters: str
    excluded: bool
    is_unranked: bool
    framework_digest: str
    host_digest: str
    harness_digest: str
    scenario_digest: str
    estimate: float
    low: float | None
    high: float | None
    n: int
    mean_log: float | None


class LoadRow(NamedTuple):
    """A load with which results were measured, their number, and the time of the newest.

    `parameters` is their JSON text, as in `PointRow`.
    """

    profile: str
    kind: ProfileKind
    parameters: str
    points: int
    at: datetime


def list_loads(
    session: Session,
    frameworks: Collection[str],
    scenario: str,
    metric: Metric | None,
    *,
    host: str | None,
    viewer: Viewer,
) -> Sequence[LoadRow]:
    """Return the loads of these results, the load with the most valid points first.

    Args:
        metric: count only results that have it; None counts all.
    """
    # Results of a board have the same parameters. To group thousands of results by the name of
    # their board takes a fraction of the time.
    boards = (
        select(
            CellSummary.profile,
            CellSummary.kind,
            cast(func.any_value(CellSummary.parameters), Text).label("parameters"),
            func.count().label("points"),
            func.count().filter(CellSummary.excluded.is_(False)).label("valid"),
            func.max(CellSummary.at).label("at"),
        )
        .where(
            CellSummary.framework.in_(frameworks),
            CellSummary.scenario == scenario,
            counts_for(viewer),
        )
        .group_by(CellSummary.profile, CellSummary.kind, CellSummary.board)
    )
    if metric is not None:
        boards = boards.join(CellMetric, _has(metric))
    if host is not None:
        boards = boards.where(_is_on(host))
    board = boards.subquery("board")
    load = (board.c.profile, board.c.kind, board.c.parameters)
    points, newest = func.sum(board.c.points), func.max(board.c.at)
    query = (
        select(*load, cast(points, BigInteger), newest)
        .group_by(*load)
        .order_by(
            func.sum(board.c.valid).desc(),
            points.desc(),
            newest.desc(),
            board.c.profile,
            board.c.parameters,
        )
    )
    return [LoadRow(*row) for row in session.execute(query)]


def list_points(
    session: Session,
    framework: str,
    scenario: str,
    metric: Metric,
    *,
    load: LoadRow | None,
    host: str | None,
    viewer: Viewer,
    limit: int,
) -> Sequence[PointRow]:
    """Return the cells of ended comparison runs that have this metric, newest first.

    Args:
        load: only cells with this load; None for all loads.
    """
    # Only indexes are read for this; the other columns are needed for the newest points alone.
    newest = (
        select(
            CellSummary.cell_id,
            CellMetric.estimate,
            CellMetric.low,
            CellMetric.high,
            CellMetric.n,
            CellMetric.mean_log,
        )
        .join(CellMetric, _has(metric))
        .where(
            CellSummary.framework == framework,
            CellSummary.scenario == scenario,
            counts_for(viewer),
        )
        .order_by(CellSummary.at.desc(), CellSummary.cell_id.desc())
        .limit(limit)
    )
    if host is not None:
        newest = newest.where(_is_on(host))
    if load is not None:
        newest = newest.where(
            CellSummary.profile == load.profile,
            CellSummary.parameters == json.loads(load.parameters),
        )
    point = newest.subquery("point")
    query = (
        select(
            CellSummary.run_id,
            Run.slug,
            CellSummary.cell_id,
            CellSummary.at,
            Host.name,
            CellSummary.runtime,
            CellSummary.profile,
            cast(CellSummary.parameters, Text),
            is_excluded_from_history(),
            CellSummary.excluded,
            CellSummary.framework_digest,
            CellSummary.host_digest,
            CellSummary.harness_digest,
            CellSummary.scenario_digest,
            point.c.estimate,
            point.c.low,
            point.c.high,
            point.c.n,
            point.c.mean_log,
        )
        .select_from(CellSummary)
        .join(point, point.c.cell_id == CellSummary.cell_id)
        .join(Run, Run.id == CellSummary.run_id)
        .join(Host, Host.id == CellSummary.host_id)
        .order_by(CellSummary.at.desc(), CellSummary.cell_id.desc())
    )
    # Columns instead of entities: for a thousand rows, this halves the time.
    return [PointRow._make(row) for row in session.connection().execute(query)]


def _has(metric: Metric) -> ColumnElement[bool]:
    """Return the condition that joins a cell's summary with its row of a metric.

    That row repeats three columns of the summary. They are compared too, because the index of a
    history begins with them.
    """
    return and_(
        CellMetric.framework == CellSummary.framework,
        CellMetric.scenario == CellSummary.scenario,
        CellMetric.metric == metric,
        CellMetric.at == CellSummary.at,
        CellMetric.cell_id == CellSummary.cell_id,
    )


def _is_on(host: str) -> ColumnElement[bool]:
    """Return the condition that a cell was measured on the host with this name."""
    return CellSummary.host_id.in_(select(Host.id).where(Host.name == host))

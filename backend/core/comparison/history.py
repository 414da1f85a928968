"""History: every finished cell of a framework × scenario as a point, in comparable series."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.comparison import repository
from backend.core.comparison.environment import Difference, differences
from backend.core.comparison.repository import PointRow
from backend.core.comparison.stats import Estimate
from backend.core.units import Metric

_SHOWN_CHARACTERS = 12


class Point(NamedTuple):
    """One cell of one finished run. `mean_log` is None where a trial's value has no logarithm."""

    run_id: UUID
    run_slug: str
    cell_id: UUID
    at: datetime
    estimate: Estimate
    mean_log: float | None
    barred: bool
    framework_digest: str
    host_digest: str
    harness_digest: str
    scenario_digest: str


@dataclass(frozen=True)
class Series:
    """Points that were measured alike: host, runtime, profile and parameters are the same."""

    framework: str
    host: str
    runtime: str
    profile: str
    parameters: dict[str, int]
    points: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Event:
    """What is not as it was at the point before `index`."""

    index: int
    differences: list[Difference]


def read_history(
    session: Session,
    frameworks: Sequence[str],
    scenario: str,
    metric: Metric,
    *,
    host: str | None,
    limit: int,
    with_unlisted: bool,
) -> list[Series]:
    """The newest `limit` points of each framework, oldest first, grouped into series.

    Cells without a number of this metric are left out.
    """
    found: dict[tuple[str, str, str, str, str], Series] = {}
    for framework in frameworks:
        rows = repository.list_points(
            session,
            framework,
            scenario,
            metric,
            host=host,
            with_unlisted=with_unlisted,
            limit=limit,
        )
        for row in reversed(rows):
            key = (framework, row.host, row.runtime, row.profile, row.parameters)
            if key not in found:
                parameters = json.loads(row.parameters)
                found[key] = Series(framework, row.host, row.runtime, row.profile, parameters)
            found[key].points.append(_to_point(row))
    return list(found.values())


def list_events(session: Session, series: Sequence[Series]) -> list[list[Event]]:
    """For each series, where the framework, the host, the harness or the scenario changed."""
    changed = [list(_list_changed(one.points)) for one in series]
    cell_ids = {
        point.cell_id
        for one, indices in zip(series, changed, strict=True)
        for index in indices
        for point in one.points[index - 1 : index + 1]
    }
    environments = repository.list_environments(session, cell_ids)
    return [
        [
            Event(index, _explain(one.points[index - 1], one.points[index], environments))
            for index in indices
        ]
        for one, indices in zip(series, changed, strict=True)
    ]


def _list_changed(points: Sequence[Point]) -> Iterator[int]:
    for index, (before, after) in enumerate(pairwise(points), start=1):
        if _digests(before) != _digests(after):
            yield index


def _digests(point: Point) -> dict[str, str]:
    return {
        "framework": point.framework_digest,
        "scenario": point.scenario_digest,
        "host": point.host_digest,
        "harness": point.harness_digest,
    }


def _explain(
    before: Point, after: Point, environments: Mapping[UUID, Mapping[str, Any]]
) -> list[Difference]:
    """What the trials' environments say, or else the digests that differ."""
    old, new = environments.get(before.cell_id, {}), environments.get(after.cell_id, {})
    found = differences(old, new)
    told = {one.subject.partition(".")[0] for one in found}
    # A harness's digest covers the scenario's.
    known = told | ({"harness"} if "scenario" in told else set())
    digests = _digests(after)
    return found + [
        Difference(subject, digest[:_SHOWN_CHARACTERS], digests[subject][:_SHOWN_CHARACTERS])
        for subject, digest in _digests(before).items()
        if digest != digests[subject] and subject not in known
    ]


def _to_point(row: PointRow) -> Point:
    return Point(
        run_id=row.run_id,
        run_slug=row.run_slug,
        cell_id=row.cell_id,
        at=row.at,
        estimate=Estimate(row.estimate, row.low, row.high, row.n),
        mean_log=row.mean_log,
        barred=row.barred,
        framework_digest=row.framework_digest,
        host_digest=row.host_digest,
        harness_digest=row.harness_digest,
        scenario_digest=row.scenario_digest,
    )

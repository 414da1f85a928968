"""History: each finished cell of a framework and scenario is a point of a comparable series."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.documents import TrialEnvironment
from backend.core.history import repository
from backend.core.history.repository import PointRow
from backend.core.results import repository as results
from backend.core.results.environment import Difference, differences
from backend.core.units import Metric, find_main_metric

_SHOWN_CHARACTERS = 12
_SUBJECTS = ("framework", "scenario", "host", "harness")
_get_digests = attrgetter(*(f"{subject}_digest" for subject in _SUBJECTS))


@dataclass(frozen=True)
class Series:
    """Points measured under the same conditions: host, runtime, profile and parameters."""

    framework: str
    host: str
    runtime: str
    profile: str
    parameters: dict[str, int]
    points: list[PointRow] = field(default_factory=list)


@dataclass(frozen=True)
class EnvironmentEvent:
    """The differences between the point at `index` and the one before."""

    index: int
    differences: list[Difference]


def find_usual_metric(
    session: Session,
    frameworks: Sequence[str],
    scenario: str,
    *,
    host: str | None,
    with_unlisted: bool,
) -> Metric:
    """Return the main metric for the load of the newest result, among those that it has.

    Valid results come before excluded ones. Without any result, it is CPU per request.
    """
    newest = results.find_newest_cell(
        session, frameworks, scenario, host=host, with_unlisted=with_unlisted
    )
    if newest is None:
        return Metric.CPU_US_PER_REQUEST
    known = results.list_metrics(session, [newest.cell_id])
    return find_main_metric(newest.kind, known)


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
    """Return the newest `limit` points of each framework, oldest first, grouped into series.

    Cells without this metric are left out.
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
            found[key].points.append(row)
    return list(found.values())


def list_events(session: Session, series: Sequence[Series]) -> list[list[EnvironmentEvent]]:
    """Return the changes of framework, host, harness or scenario in each series."""
    changed = [list(_list_changed(line.points)) for line in series]
    cell_ids = {
        point.cell_id
        for line, indices in zip(series, changed, strict=True)
        for index in indices
        for point in line.points[index - 1 : index + 1]
    }
    environments = results.list_environments(session, cell_ids)
    return [
        [
            EnvironmentEvent(
                index, _explain(line.points[index - 1], line.points[index], environments)
            )
            for index in indices
        ]
        for line, indices in zip(series, changed, strict=True)
    ]


def _list_changed(points: Sequence[PointRow]) -> Iterator[int]:
    for index, (before, after) in enumerate(pairwise(map(_get_digests, points)), start=1):
        if before != after:
            yield index


def _digests(point: PointRow) -> dict[str, str]:
    return dict(zip(_SUBJECTS, _get_digests(point), strict=True))


def _explain(
    before: PointRow, after: PointRow, environments: Mapping[UUID, TrialEnvironment]
) -> list[Difference]:
    """Return the differences of the environments, or else the different digests."""
    old, new = environments.get(before.cell_id, {}), environments.get(after.cell_id, {})
    found = differences(old, new)
    told = {difference.subject.partition(".")[0] for difference in found}
    # The digest of the harness includes that of the scenario.
    known = told | ({"harness"} if "scenario" in told else set())
    digests = _digests(after)
    return found + [
        Difference(subject, digest[:_SHOWN_CHARACTERS], digests[subject][:_SHOWN_CHARACTERS])
        for subject, digest in _digests(before).items()
        if digest != digests[subject] and subject not in known
    ]

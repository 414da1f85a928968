"""History: each finished cell of a framework and scenario is a point of a comparable series."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.changes.history import repository
from backend.core.changes.history.repository import LoadRow, PointRow
from backend.core.documents import TrialEnvironment
from backend.core.errors import InvalidRequest
from backend.core.people.access.viewer import Viewer
from backend.core.results import repository as results
from backend.core.results.environment import Difference, differences
from backend.core.units import Metric, find_main_metric

# The `load` of a request for all loads.
ALL_LOADS = "all"
_KEY_CHARACTERS = 12
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


@dataclass(frozen=True)
class HistoryLoad:
    """A load of a history; only results with the same load belong on one axis.

    `key` names it in addresses.
    """

    key: str
    row: LoadRow

    @property
    def parameters(self) -> dict[str, int]:
        """Return the parameters of the load."""
        parameters: dict[str, int] = json.loads(self.row.parameters)
        return parameters


def list_loads(
    session: Session,
    frameworks: Sequence[str],
    scenario: str,
    metric: Metric | None,
    *,
    host: str | None,
    viewer: Viewer,
) -> list[HistoryLoad]:
    """Return the loads of a history, the load with the most valid points first."""
    rows = repository.list_loads(session, frameworks, scenario, metric, host=host, viewer=viewer)
    return [HistoryLoad(_name_load(row), row) for row in rows]


def choose_load(loads: Sequence[HistoryLoad], key: str | None) -> HistoryLoad | None:
    """Return the load that a request names, by default the first; None for all loads.

    Raises:
        InvalidRequest: there is no such load.
    """
    if key == ALL_LOADS or not loads:
        return None
    if key is None:
        return loads[0]
    for load in loads:
        if load.key == key:
            return load
    detail = f"{key!r} is not a load of these results. Use a key of `loads`, or leave it out."
    raise InvalidRequest(f"load: {detail}", [{"field": "load", "detail": detail}])


def find_usual_metric(
    session: Session,
    frameworks: Sequence[str],
    scenario: str,
    *,
    load: HistoryLoad | None,
    host: str | None,
    viewer: Viewer,
) -> Metric:
    """Return the main metric of the load, among those that its newest result has.

    Valid results come before excluded ones. Without a load, the newest result of any load counts.
    Without any result, it is CPU per request.
    """
    newest = results.find_newest_cell(
        session,
        frameworks,
        scenario,
        load=None if load is None else (load.row.profile, load.parameters),
        host=host,
        viewer=viewer,
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
    load: HistoryLoad | None,
    host: str | None,
    limit: int,
    viewer: Viewer,
) -> list[Series]:
    """Return the newest `limit` points of each framework, oldest first, grouped into series.

    Cells without this metric are left out.

    Args:
        load: only points with this load; None for all loads.
    """
    found: dict[tuple[str, str, str, str, str], Series] = {}
    for framework in frameworks:
        rows = repository.list_points(
            session,
            framework,
            scenario,
            metric,
            load=None if load is None else load.row,
            host=host,
            viewer=viewer,
            limit=limit,
        )
        for row in reversed(rows):
            key = (framework, row.host, row.runtime, row.profile, row.parameters)
            if key not in found:
                parameters = json.loads(row.parameters)
                found[key] = Series(framework, row.host, row.runtime, row.profile, parameters)
            found[key].points.append(row)
    return list(found.values())


def _name_load(row: LoadRow) -> str:
    named = f"{row.profile} {row.parameters}"
    return hashlib.sha256(named.encode()).hexdigest()[:_KEY_CHARACTERS]


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

"""Search the series of an ended run for changes, and start confirmation runs for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.changes import repository
from backend.core.changes.confirmation import begin_confirmations
from backend.core.changes.detection import (
    LAST_POINTS,
    MIN_POINTS,
    ChangePoint,
    Observation,
    find_changes,
)
from backend.core.changes.incidents.grouping import (
    find_host_incident,
    find_service_incident,
    move_to_incident,
)
from backend.core.changes.lifecycle import OPEN, SharedShift, find_common_shift
from backend.core.changes.new_build import analyse_build, find_arrival, find_host_shift
from backend.core.changes.repository import SeriesPoint
from backend.core.changes.sameness import find_same, list_places
from backend.core.changes.series import SeriesKey, key_of
from backend.core.changes.sides import choose_begin, pick_sides
from backend.core.measurement.measurements.verdicts import EXCLUDING_FROM_HISTORY
from backend.core.measurement.statistics.multiple_tests import pass_false_discovery_rate
from backend.core.models import CellSummary, Change, HostEvent, Incident, Run
from backend.core.statuses import ChangeStatus
from backend.core.units import WATCHED_METRICS, Metric

# Share of the new changes of a run that may be false.
FALSE_DISCOVERY_RATE = 0.05
# Maximum age of a new change. The builds of older ones may have been deleted.
_RECENT_POINTS = 30


@dataclass
class _TestedSeries:
    """A series of a run, a change point found in it, and the known change that this matches.

    Attributes:
        tests: number of indices that were tested, or of interim analyses of a new build.
        places: indices of the points with which the new level may begin.
        is_of_build: whether only the first point of a new build was tested.
        has_passed: whether the change is significant among all new changes of the run.
        is_shared: whether the shift belongs to a host event.
    """

    key: SeriesKey
    cell: CellSummary
    points: Sequence[SeriesPoint]
    found: ChangePoint | None
    known: Change | None
    tests: int
    places: Sequence[int] = ()
    is_of_build: bool = False
    has_passed: bool = False
    is_shared: bool = False

    @property
    def p_value(self) -> float | None:
        """Return the p-value of a new change, corrected for its tests (Bonferroni)."""
        if self.found is None or self.known is not None:
            return None
        return min(1.0, self.found.p_value * self.tests)

    @property
    def shift(self) -> SharedShift:
        is_live = self.has_passed or (
            self.known is not None and self.known.status in {*OPEN, ChangeStatus.HOST_DRIFT}
        )
        if self.found is None or not is_live:
            return SharedShift(None)
        return SharedShift(len(self.points) - self.found.index, self.found.ratio)


def find_run_changes(session: Session, run: Run) -> list[Change]:
    """Search every series to which a finalized comparison run added a point.

    A series that a later run has measured as well is searched by that run. When several old runs
    are finalized, only the newest point of a series can show a change that can still be tested.

    Every index is tested, and the first point of a new build is tested once more. A known change
    keeps its id and its status. New changes must be significant among all of the run
    (Benjamini-Hochberg). Series that shift together become one host event. For the others, the
    builds before and after are queued side by side.

    Returns:
        The new changes that belong to no host event.
    """
    tested = _test_run(session, run)
    passed = pass_false_discovery_rate([series.p_value for series in tested], FALSE_DISCOVERY_RATE)
    for series, has_passed in zip(tested, passed, strict=True):
        series.has_passed = has_passed
    _note_host_events(session, run, tested)
    new = [_add(session, series) for series in tested if series.has_passed and not series.is_shared]
    if new:
        begin_confirmations(session, new)
    return new


def _test_run(session: Session, run: Run) -> list[_TestedSeries]:
    tested: dict[str, list[_TestedSeries]] = {}
    outrun = repository.list_outrun(session, run)
    for cell, metrics in repository.list_summaries(session, run.id):
        verdicts = {verdict["verdict"] for verdict in cell.verdicts}
        if verdicts & EXCLUDING_FROM_HISTORY or cell.cell_id in outrun:
            continue
        for metric in WATCHED_METRICS[cell.kind]:
            key = key_of(cell, metric)
            if metric in metrics and key.digest not in tested:
                tested[key.digest] = _test_series(session, key, cell)
    return [series for results in tested.values() for series in results]


def _test_series(session: Session, key: SeriesKey, cell: CellSummary) -> list[_TestedSeries]:
    """Return the test results of a series since its last confirmed change.

    Empty with too few points. Two results if the search found no new change and a new build was
    then analysed.
    """
    changes = repository.lock_changes_of(session, key)
    confirmed = [change.at for change in changes if change.status == ChangeStatus.CONFIRMED]
    since = max(confirmed, default=None)
    points = repository.list_series(session, key, since=since, limit=LAST_POINTS)
    if len(points) < MIN_POINTS:
        return []
    observed = [_observe(point) for point in points]
    change_points = find_changes(observed)
    anywhere = _search_series(key, cell, points, observed, change_points, changes)
    if anywhere.found is not None and anywhere.known is None:
        return [anywhere]
    levels = [change_point.index for change_point in change_points]
    arrival = find_arrival([point.image_digest for point in points], levels)
    if arrival is None or _is_tested(points, arrival.index, changes):
        return [anywhere]
    runs = [point.run_slug for point in points[arrival.begin :]]
    shared = find_host_shift(runs, repository.list_other_series(session, key, runs))
    found = analyse_build(observed, arrival, shared)
    return [
        anywhere,
        _TestedSeries(key, cell, points, found, None, arrival.analyses, is_of_build=True),
    ]


def _search_series(
    key: SeriesKey,
    cell: CellSummary,
    points: Sequence[SeriesPoint],
    observed: Sequence[Observation],
    change_points: Sequence[ChangePoint],
    changes: Sequence[Change],
) -> _TestedSeries:
    if not change_points:
        return _TestedSeries(key, cell, points, None, None, len(points))
    began = [(sum(point.at < change.at for point in points), change.ratio) for change in changes]
    same = [find_same(observed, change_points, at, began) for at in range(len(change_points))]
    known = [None if at is None else changes[at] for at in same]
    for change, found in zip(known, change_points, strict=True):
        if change is not None and change.status in OPEN:
            change.ratio, change.low, change.high = found.ratio, found.low, found.high
            change.p_value, change.is_adjusted = found.p_value, found.is_adjusted
    chosen = _choose(change_points, known, len(points))
    places = list_places(observed, change_points, chosen)
    return _TestedSeries(
        key, cell, points, change_points[chosen], known[chosen], len(points), places
    )


def _is_tested(points: Sequence[SeriesPoint], border: int, changes: Sequence[Change]) -> bool:
    """Return whether a change has already compared the builds before and after a border."""
    builds = {point.cell_id: point.image_digest for point in points}
    here = (points[border - 1].image_digest, points[border].image_digest)
    return any(
        (builds.get(change.before_cell_id), builds.get(change.after_cell_id)) == here
        and (change.status != ChangeStatus.HOST_DRIFT or change.confirmation_run_id is not None)
        for change in changes
    )


def _choose(found: Sequence[ChangePoint], known: Sequence[Change | None], points: int) -> int:
    """Return the index of the newest change point that is not known, or else of the newest.

    If several are new, the next run reports the older ones, unless they are too old.
    """
    for at in reversed(range(len(found))):
        if known[at] is None and points - found[at].index <= _RECENT_POINTS:
            return at
    return len(found) - 1


def _observe(point: SeriesPoint) -> Observation:
    half_width = None if point.high is None else log(point.high) - point.mean_log
    return Observation(point.mean_log, half_width, point.trials)


def _note_host_events(session: Session, run: Run, tested: Sequence[_TestedSeries]) -> None:
    """Turn common shifts into host events, and note the series that they explain."""
    for metric in dict.fromkeys(series.key.metric for series in tested):
        batch = [
            series for series in tested if series.key.metric is metric and not series.is_of_build
        ]
        alike = [batch[index] for index in find_common_shift([series.shift for series in batch])]
        if not any(series.has_passed for series in alike):
            continue
        event = _find_event(session, run, metric, alike, len(batch))
        incident = find_host_incident(session, event)
        for series in alike:
            if series.known is None:
                series.known = _add(session, series, incident)
            else:
                move_to_incident(session, series.known, incident)
            series.known.status = ChangeStatus.HOST_DRIFT
            series.known.host_event_id = event.id
            series.known.changed_at = func.now()
            series.known.reason = (
                f"{event.series_shifted} of the {event.series_total} series of this run shifted "
                "together: the host changed, not this service."
            )
            series.is_shared = True
    session.flush()


def _find_event(
    session: Session, run: Run, metric: Metric, alike: Sequence[_TestedSeries], total: int
) -> HostEvent:
    """Return the host event of these series with updated numbers, or a new event."""
    known = [
        series.known.host_event_id
        for series in alike
        if series.known and series.known.host_event_id
    ]
    event = session.get(HostEvent, known[0]) if known else None
    shifts = [series.found for series in alike if series.found is not None]
    if event is None:
        begun = min(
            series.points[shift.index].at for series, shift in zip(alike, shifts, strict=True)
        )
        event = HostEvent(
            workspace_id=run.workspace_id,
            host_id=run.host_id,
            run_id=run.id,
            metric=metric,
            at=begun,
        )
    event.ratio = exp(fmean(log(shift.ratio) for shift in shifts))
    event.series_shifted, event.series_total = len(alike), total
    return repository.add_host_event(session, event)


def _add(session: Session, tested: _TestedSeries, incident: Incident | None = None) -> Change:
    """Add a new change to an incident; None finds that of its build."""
    change = _make_change(tested)
    incident = incident or find_service_incident(session, change)
    change.incident_id = incident.id
    return repository.add_change(session, change)


def _make_change(tested: _TestedSeries) -> Change:
    assert tested.found is not None
    key, found, points = tested.key, tested.found, tested.points
    index = choose_begin(points, found.index, tested.places)
    before, after = pick_sides(points, index)
    return Change(
        workspace_id=key.workspace_id,
        series_digest=key.digest,
        framework=key.framework,
        scenario=key.scenario,
        profile=key.profile,
        kind=tested.cell.kind,
        parameters=dict(key.parameters),
        metric=key.metric,
        runtime=key.runtime,
        host_id=key.host_id,
        host_digest=key.host_digest,
        harness_digest=key.harness_digest,
        scenario_digest=key.scenario_digest,
        at=points[index].at,
        before_cell_id=before.cell_id,
        after_cell_id=after.cell_id,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        p_value=found.p_value,
        is_adjusted=found.is_adjusted,
        status=ChangeStatus.SUSPECTED,
        reason="The level of the history has shifted.",
    )

"""Looks for changes when a run has ended, has them tested by experiment, and lets people decide."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from sqlalchemy import func
from sqlalchemy.orm import Session

from backend.core.changes import repository
from backend.core.changes.detection import (
    LAST_POINTS,
    MIN_POINTS,
    MIN_SEGMENT_POINTS,
    ChangePoint,
    Observation,
    find_changes,
)
from backend.core.changes.lifecycle import (
    OPEN,
    ChangeStatus,
    Shift,
    find_common_shift,
    pass_batch,
)
from backend.core.changes.repository import SeriesPoint
from backend.core.changes.retest import begin_retests
from backend.core.changes.sameness import find_same
from backend.core.changes.series import WATCHED, SeriesKey, key_of
from backend.core.models import CellSummary, Change, HostEvent, Run
from backend.core.units import Metric, ProfileKind

# Of the changes that a run brings to light, so many may be false.
FALSE_DISCOVERY_RATE = 0.05
# The build of a level is the one most of so many points next to the change ran.
_NEAR_POINTS = MIN_SEGMENT_POINTS


@dataclass
class _Looked:
    """A series of a run: its points, its newest change point, and the change that this is."""

    key: SeriesKey
    cell: CellSummary
    points: Sequence[SeriesPoint]
    newest: ChangePoint | None
    known: Change | None
    has_passed: bool = False

    @property
    def p_value(self) -> float | None:
        """Of a change that is not known: Bonferroni over the places where it could have been."""
        if self.newest is None or self.known is not None:
            return None
        return min(1.0, self.newest.p_value * len(self.points))

    @property
    def shift(self) -> Shift:
        is_live = self.has_passed or (
            self.known is not None and self.known.status in {*OPEN, ChangeStatus.HOST_DRIFT}
        )
        if self.newest is None or not is_live:
            return Shift(None)
        return Shift(len(self.points) - self.newest.index, self.newest.ratio)


def find_run_changes(session: Session, run: Run) -> list[Change]:
    """Look at every series that a concluded comparison run has prolonged.

    One that a later run has prolonged as well is left to that: when runs that ended long ago are
    concluded, only the newest of each series can bring to light what can still be tested.

    A change that is known keeps its id and its status, whatever was decided. New ones must pass
    with the whole run's (Benjamini-Hochberg); what shifts together becomes one host event; of the
    others the builds before and after are queued side by side.

    Returns:
        The new changes that stand for themselves.
    """
    looked = _look_at_run(session, run)
    passed = pass_batch([one.p_value for one in looked], FALSE_DISCOVERY_RATE)
    for one, has_passed in zip(looked, passed, strict=True):
        one.has_passed = has_passed
    shared = _note_host_events(session, run, looked)
    new = [_add(session, one) for one in looked if one.has_passed and id(one) not in shared]
    begin_retests(session, new)
    return new


def _look_at_run(session: Session, run: Run) -> list[_Looked]:
    found: dict[str, _Looked] = {}
    outrun = repository.list_outrun(session, run)
    for cell, metrics in repository.list_summaries(session, run.id):
        if cell.barred or cell.cell_id in outrun:
            continue
        for metric in WATCHED[ProfileKind(cell.kind)]:
            key = key_of(cell, metric)
            has_log = metric in metrics and metrics[metric].mean_log is not None
            if has_log and key.digest not in found:
                looked = _look(session, key, cell)
                if looked is not None:
                    found[key.digest] = looked
    return list(found.values())


def _look(session: Session, key: SeriesKey, cell: CellSummary) -> _Looked | None:
    """The newest change point since the last confirmed change; None with too few points."""
    changes = repository.lock_changes_of(session, key.digest)
    confirmed = [change.at for change in changes if change.status == ChangeStatus.CONFIRMED]
    since = max(confirmed, default=None)
    points = repository.list_series(session, key, since=since, limit=LAST_POINTS)
    if len(points) < MIN_POINTS:
        return None
    observed = [_observe(point) for point in points]
    change_points = find_changes(observed)
    if not change_points:
        return _Looked(key, cell, points, None, None)
    newest = change_points[-1]
    places = [(sum(point.at < change.at for point in points), change.ratio) for change in changes]
    same = find_same(observed, change_points, len(change_points) - 1, places)
    known = None if same is None else changes[same]
    if known is not None and known.status in OPEN:
        known.ratio, known.low, known.high = newest.ratio, newest.low, newest.high
        known.p_value = newest.p_value
    return _Looked(key, cell, points, newest, known)


def _observe(point: SeriesPoint) -> Observation:
    half_width = None if point.high is None else log(point.high) - point.mean_log
    return Observation(point.mean_log, half_width)


def _note_host_events(session: Session, run: Run, looked: Sequence[_Looked]) -> set[int]:
    """Turn what shifted together into host events; returns the ids (of Python) of those series."""
    shared: set[int] = set()
    for metric in dict.fromkeys(one.key.metric for one in looked):
        batch = [one for one in looked if one.key.metric is metric]
        alike = [batch[index] for index in find_common_shift([one.shift for one in batch])]
        if not any(one.has_passed for one in alike):
            continue
        event = _find_event(session, run, metric, alike, len(batch))
        for one in alike:
            if one.known is None:
                one.known = _add(session, one)
            one.known.status = ChangeStatus.HOST_DRIFT
            one.known.host_event_id = event.id
            one.known.changed_at = func.now()
            one.known.reason = (
                f"{event.series_shifted} of the {event.series_total} series of this run shifted "
                "together: the host, not this service."
            )
            shared.add(id(one))
    session.flush()
    return shared


def _find_event(
    session: Session, run: Run, metric: Metric, alike: Sequence[_Looked], total: int
) -> HostEvent:
    """The event that one of these belongs to already, brought up to date, or a new one."""
    known = [one.known.host_event_id for one in alike if one.known and one.known.host_event_id]
    event = session.get(HostEvent, known[0]) if known else None
    shifts = [one.newest for one in alike if one.newest is not None]
    if event is None:
        begun = min(one.points[shift.index].at for one, shift in zip(alike, shifts, strict=True))
        event = HostEvent(host_id=run.host_id, run_id=run.id, metric=metric, at=begun)
    event.ratio = exp(fmean(log(shift.ratio) for shift in shifts))
    event.series_shifted, event.series_total = len(alike), total
    return repository.add_host_event(session, event)


def _add(session: Session, looked: _Looked) -> Change:
    assert looked.newest is not None
    key, newest, points = looked.key, looked.newest, looked.points
    index = newest.index
    before = _pick_point(points[max(0, index - _NEAR_POINTS) : index][::-1])
    after = _pick_point(points[index : index + _NEAR_POINTS])
    return repository.add_change(
        session,
        Change(
            series_digest=key.digest,
            framework=key.framework,
            scenario=key.scenario,
            profile=key.profile,
            kind=looked.cell.kind,
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
            ratio=newest.ratio,
            low=newest.low,
            high=newest.high,
            p_value=newest.p_value,
            status=ChangeStatus.SUSPECTED,
            reason="The history has left its level.",
        ),
    )


def _pick_point(nearest_first: Sequence[SeriesPoint]) -> SeriesPoint:
    """The nearest point with the build that most of these have, the nearest build where none does.

    So a change point that is off by a point or two still finds the builds of the two levels.
    """
    counts = Counter(point.image_digest for point in nearest_first)
    return max(nearest_first, key=lambda point: counts[point.image_digest])

"""The history of an own service: how its commits compare with a reference; pure.

Each point is a stored guard of a commit, whose base is the reference. The machine's speed on the day
is the same for both, so points of different days can be compared.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from backend.core.catalog.own.metrics import direction_of
from backend.core.measurement.statistics.guard import ChangeState
from backend.core.results.guard.document import GuardedMetric, GuardReport, ServiceVersion
from backend.core.units import Direction, RuntimeKind

_Key = tuple[str, str]


@dataclass(frozen=True)
class MeasuredCommit:
    """A stored guard of `tacho measure`."""

    slug: str
    measured_at: datetime
    report: GuardReport


@dataclass(frozen=True)
class CommitChange:
    """A metric of a commit next to the reference.

    Attributes:
        step: whether it is worse or better than at the commit before; None if the intervals of both
            overlap, or one has no interval.
        confirmed_by: slug of the guard of both commits that found the same; None without one.
    """

    load: str
    change: GuardedMetric
    step: ChangeState | None = None
    confirmed_by: str | None = None


@dataclass(frozen=True)
class CommitPoint:
    """A commit with all its metrics. `slug` is that of its guard."""

    slug: str
    measured_at: datetime
    head: ServiceVersion
    changes: Sequence[CommitChange]


@dataclass
class ServiceHistory:
    """The commits that were compared with a reference on a host, in the order of measuring."""

    reference: ServiceVersion
    host: str
    runtime: RuntimeKind
    points: list[CommitPoint] = field(default_factory=list)


def build_histories(measured: Iterable[MeasuredCommit]) -> list[ServiceHistory]:
    """Return a history for each reference and host, that with the newest point first.

    A commit that was measured again has its newest result. A comparison of two commits of another
    history is left out: it only confirms a step there.

    Args:
        measured: guards of one service, in the order of time.
    """
    known = list(measured)
    newest: dict[tuple[str, str, RuntimeKind, str], MeasuredCommit] = {}
    for commit in known:
        report = commit.report
        base, head = report.base.commit, report.head.commit
        if base is not None and head is not None:
            key = base, report.host, report.runtime, head
            # It moves to the end.
            newest.pop(key, None)
            newest[key] = commit
    confirmations = {(base, head): commit for (base, _, _, head), commit in newest.items()}
    histories: dict[tuple[str, str, RuntimeKind], ServiceHistory] = {}
    for (base, host, runtime, _), commit in newest.items():
        history = histories.setdefault(
            (base, host, runtime), ServiceHistory(commit.report.base, host, runtime)
        )
        before = history.points[-1] if history.points else None
        history.points.append(_make_point(commit, before, confirmations))
    heads = {head for _, _, _, head in newest}
    found = [
        history
        for (base, _, _), history in histories.items()
        if len(history.points) > 1 or base not in heads
    ]
    return sorted(found, key=lambda history: history.points[-1].measured_at, reverse=True)


def _make_point(
    commit: MeasuredCommit,
    before: CommitPoint | None,
    confirmations: Mapping[tuple[str, str], MeasuredCommit],
) -> CommitPoint:
    report = commit.report
    confirmation = None
    if before is not None and before.head.commit and report.head.commit:
        confirmation = confirmations.get((before.head.commit, report.head.commit))
    earlier = _index(before)
    changes = []
    for load in report.loads:
        for change in load.changes:
            step = _find_step(earlier.get((load.load, change.metric)), change)
            is_confirmed = (
                step is not None
                and confirmation is not None
                and _find_state(confirmation.report, load.load, change.metric) is step
            )
            slug = confirmation.slug if is_confirmed and confirmation is not None else None
            changes.append(CommitChange(load.load, change, step, slug))
    return CommitPoint(commit.slug, commit.measured_at, report.head, changes)


def _index(point: CommitPoint | None) -> dict[_Key, GuardedMetric]:
    if point is None:
        return {}
    return {(found.load, found.change.metric): found.change for found in point.changes}


def _find_step(before: GuardedMetric | None, now: GuardedMetric) -> ChangeState | None:
    """Return whether the interval of a metric lies beyond that of the commit before."""
    if before is None or None in {before.low, before.high, now.low, now.high}:
        return None
    assert before.low is not None
    assert before.high is not None
    assert now.low is not None
    assert now.high is not None
    if before.low <= now.high and now.low <= before.high:
        return None
    direction = direction_of(now.metric, less_is_worse=now.less_is_worse)
    is_more = now.low > before.high
    return ChangeState.WORSE if is_more == (direction is Direction.LOWER) else ChangeState.BETTER


def _find_state(report: GuardReport, load: str, metric: str) -> ChangeState | None:
    for found in report.loads:
        for change in found.changes:
            if (found.load, change.metric) == (load, metric):
                return change.state
    return None

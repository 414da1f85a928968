"""The history of an own service: how its commits compare with a reference; pure.

Each point is a stored guard of a commit, whose base is the reference. Both run on the same machine
in the same hour, so points of different days can be compared.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from backend.core.catalog.own.metrics import direction_of
from backend.core.measurement.statistics.guard import ChangeState
from backend.core.results.guard.document import (
    GuardedMetric,
    GuardReport,
    HistoryPart,
    ServiceVersion,
)
from backend.core.statuses import GuardVerdict
from backend.core.units import Direction, RuntimeKind

# The reference of a history, its host and its runtime.
_Place = tuple[str, str, RuntimeKind]
# The base and the head of a guard.
_Pair = tuple[str, str]


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
            overlap, or one is missing.
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


@dataclass(frozen=True)
class ServiceHistory:
    """The commits that were compared with a reference on a host, in the order of measuring."""

    reference: ServiceVersion
    host: str
    runtime: RuntimeKind
    points: Sequence[CommitPoint]


def build_histories(measured: Iterable[MeasuredCommit]) -> list[ServiceHistory]:
    """Return a history for each reference and host, that with the newest point first.

    A commit that was measured again has its newest result only. Commits that answer differently
    than the reference are left out, because they have no values.

    Args:
        measured: guards of one service, in the order of time.
    """
    points: dict[_Place, dict[str, MeasuredCommit]] = {}
    confirmations: dict[_Pair, MeasuredCommit] = {}
    for commit in measured:
        report = commit.report
        base, head = report.base.commit, report.head.commit
        if base is None or head is None or report.verdict is GuardVerdict.RESPONSES_DIFFER:
            continue
        if report.history is HistoryPart.CONFIRMATION:
            confirmations[base, head] = commit
            continue
        commits = points.setdefault((base, report.host, report.runtime), {})
        # It moves to the end.
        commits.pop(head, None)
        commits[head] = commit
    histories = [_make_history([*commits.values()], confirmations) for commits in points.values()]
    return sorted(histories, key=lambda history: history.points[-1].measured_at, reverse=True)


def _make_history(
    commits: Sequence[MeasuredCommit], confirmations: Mapping[_Pair, MeasuredCommit]
) -> ServiceHistory:
    first = commits[0].report
    points: list[CommitPoint] = []
    for commit in commits:
        points.append(_make_point(commit, points[-1] if points else None, confirmations))
    return ServiceHistory(first.base, first.host, first.runtime, points)


def _make_point(
    commit: MeasuredCommit,
    before: CommitPoint | None,
    confirmations: Mapping[_Pair, MeasuredCommit],
) -> CommitPoint:
    report = commit.report
    earlier, confirmed, slug = {}, {}, None
    if before is not None:
        earlier = {(found.load, found.change.metric): found.change for found in before.changes}
        assert before.head.commit is not None
        assert report.head.commit is not None
        confirmation = confirmations.get((before.head.commit, report.head.commit))
        if confirmation is not None:
            slug, confirmed = confirmation.slug, _index(confirmation.report)
    changes = []
    for (load, metric), change in _index(report).items():
        step = _find_step(earlier.get((load, metric)), change)
        same = confirmed.get((load, metric))
        is_confirmed = step is not None and same is not None and same.state is step
        changes.append(CommitChange(load, change, step, slug if is_confirmed else None))
    return CommitPoint(commit.slug, commit.measured_at, report.head, changes)


def _index(report: GuardReport) -> dict[tuple[str, str], GuardedMetric]:
    """Return the changes of a report by load and metric."""
    return {(load.load, change.metric): change for load in report.loads for change in load.changes}


def _find_step(before: GuardedMetric | None, now: GuardedMetric) -> ChangeState | None:
    """Return whether the interval of a metric lies beyond that of the commit before."""
    if before is None or before.low is None or before.high is None:
        return None
    if now.low is None or now.high is None:
        return None
    if before.low <= now.high and now.low <= before.high:
        return None
    direction = direction_of(now.metric, less_is_worse=now.less_is_worse)
    is_more = now.low > before.high
    return ChangeState.WORSE if is_more == (direction is Direction.LOWER) else ChangeState.BETTER

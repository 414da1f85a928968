"""Estimate how long runs wait for the runs ahead of them."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.access.viewer import Viewer
from backend.core.computed_once import ComputedOnce
from backend.core.runs import queues
from backend.core.runs.progress import count_done
from backend.core.runs.queues import QueuedRun
from backend.core.runs.work import ExpectedWork, expect_work
from backend.core.statuses import RunStatus

_MOST_KNOWN = 10_000
# By run. The expected work of a run without a goal never changes.
_work_of: ComputedOnce[UUID, ExpectedWork] = ComputedOnce(_MOST_KNOWN)


@dataclass(frozen=True)
class QueuePlace:
    """A place in the queue of a host: the unfinished runs and trials ahead of it.

    Attributes:
        seconds: until the first trial starts, without builds. A run ahead that has a goal counts
            until its limits.
    """

    runs: int = 0
    trials: int = 0
    seconds: float = 0.0


class Waiting(Protocol):
    """A run that may wait in a queue."""

    @property
    def id(self) -> UUID: ...
    @property
    def host_id(self) -> UUID: ...
    @property
    def status(self) -> RunStatus: ...
    @property
    def created_at(self) -> datetime: ...


@dataclass(frozen=True)
class QueueEnds:
    """The queue of a host.

    Attributes:
        current: the run of its current trial; None without one.
        last: the place of a run that is queued now.
    """

    current: QueuedRun | None = None
    last: QueuePlace = QueuePlace()


def find_places(
    session: Session, runs: Sequence[Waiting], viewer: Viewer
) -> dict[UUID, QueuePlace]:
    """Return the places of those of the runs that are queued, by run id.

    Only runs ahead that the viewer sees count.
    """
    queued = [run for run in runs if run.status == RunStatus.QUEUED]
    if not queued:
        return {}
    lines = _read_lines(session, viewer, {run.host_id for run in queued})
    nothing = _QueueLine([], {})
    return {run.id: lines.get(run.host_id, nothing).find_place(run) for run in queued}


def find_queue_ends(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None = None
) -> dict[UUID, QueueEnds]:
    """Return the queues of these hosts, or of all, by id; empty queues are left out.

    Only the runs that the viewer sees count.
    """
    lines = _read_lines(session, viewer, host_ids)
    return {host_id: line.ends for host_id, line in lines.items()}


class _QueueLine:
    """The queue of one host: the place before its first run, and those after each of its runs."""

    def __init__(self, runs: Iterable[QueuedRun], work_of: Mapping[UUID, ExpectedWork]) -> None:
        """Add up the trials and seconds of the queue.

        Args:
            runs: in order.
            work_of: by run id.
        """
        self._current: QueuedRun | None = None
        self._keys: list[tuple[datetime, UUID]] = []
        self._places = [QueuePlace()]
        trials, seconds = 0, 0.0
        for run in runs:
            trials += run.trials - run.finished
            # Without work, the run was deleted in the meantime.
            if run.id in work_of:
                seconds += _estimate_seconds_left(run, work_of[run.id])
            if run.began_at:
                self._current = run
            self._keys.append((run.created_at, run.id))
            self._places.append(QueuePlace(len(self._keys), trials, seconds))

    @property
    def ends(self) -> QueueEnds:
        """Return the run of the current trial, and the place after all runs."""
        return QueueEnds(self._current, self._places[-1])

    def find_place(self, run: Waiting) -> QueuePlace:
        """Return the place of a run, which is not in this line if the viewer does not see it."""
        return self._places[bisect_left(self._keys, (run.created_at, run.id))]


def _read_lines(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None = None
) -> dict[UUID, _QueueLine]:
    """Return the queues of these hosts, or of all; hosts without unfinished runs are left out."""
    runs = queues.list_queued_runs(session, viewer, host_ids)
    work_of = _read_work(session, runs)
    return {
        host_id: _QueueLine(own, work_of)
        for host_id, own in groupby(runs, key=lambda run: run.host_id)
    }


def _read_work(session: Session, runs: Sequence[QueuedRun]) -> dict[UUID, ExpectedWork]:
    """Return the expected work of runs by id."""

    def compute(run_ids: Collection[UUID]) -> dict[UUID, ExpectedWork]:
        return {run.id: expect_work(run) for run in queues.list_with_cells(session, run_ids)}

    with_goal = [run.id for run in runs if run.has_goal]
    work_of = _work_of.read([run.id for run in runs if not run.has_goal], compute)
    return work_of | compute(with_goal) if with_goal else work_of


def _estimate_seconds_left(run: QueuedRun, work: ExpectedWork) -> float:
    elapsed = 0.0
    if run.began_at is not None:
        elapsed = max(0.0, (datetime.now(UTC) - run.began_at).total_seconds())
    total = max(run.trials, work.most_trials or 0)
    done = count_done(run.finished, total, work.trial_seconds, elapsed)
    return (total - done) * work.trial_seconds

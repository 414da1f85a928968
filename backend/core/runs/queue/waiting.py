"""Estimate how long runs wait for the runs ahead of them."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.computed_once import ComputedOnce
from backend.core.people.access.viewer import Viewer
from backend.core.runs.progress import count_done
from backend.core.runs.queue import repository
from backend.core.runs.queue.repository import RunInQueue
from backend.core.runs.queue.work import ExpectedWork, expect_work, measure_current_seconds
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


class Unfinished(Waiting, Protocol):
    """A run that has not ended.

    Attributes:
        trials: the number of its trials so far.
        finished: the number of those that have ended.
        began_at: when its current trial started; None without one.
    """

    @property
    def trials(self) -> int: ...
    @property
    def finished(self) -> int: ...
    @property
    def began_at(self) -> datetime | None: ...


@dataclass(frozen=True)
class QueueEnds:
    """The queue of a host.

    Attributes:
        current: the run of its current trial; None without one.
        last: the place of a run that is queued now.
    """

    current: RunInQueue | None = None
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
    runs_of, work_of = _read_queues(session, viewer, {run.host_id for run in queued})
    lines = {host_id: _QueueLine(own, work_of) for host_id, own in runs_of.items()}
    nothing = _QueueLine([], {})
    return {run.id: lines.get(run.host_id, nothing).find_place(run) for run in queued}


def find_places_among(
    runs: Sequence[Unfinished], work_of: Mapping[UUID, ExpectedWork]
) -> dict[UUID, QueuePlace]:
    """Return the places of those of the runs that are queued, by run id.

    Args:
        runs: the oldest unfinished runs that a viewer sees, in the order of their creation.
        work_of: by run id.
    """
    runs_of: defaultdict[UUID, list[Unfinished]] = defaultdict(list)
    for run in runs:
        runs_of[run.host_id].append(run)
    lines = {host_id: _QueueLine(own, work_of) for host_id, own in runs_of.items()}
    queued = [run for run in runs if run.status == RunStatus.QUEUED]
    return {run.id: lines[run.host_id].find_place(run) for run in queued}


def find_queue_ends(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None = None
) -> dict[UUID, QueueEnds]:
    """Return the queues of these hosts, or of all, by id; empty queues are left out.

    Only the runs that the viewer sees count.
    """
    runs_of, work_of = _read_queues(session, viewer, host_ids)
    return {
        host_id: QueueEnds(
            current=next((run for run in reversed(own) if run.began_at), None),
            last=_QueueLine(own, work_of).last,
        )
        for host_id, own in runs_of.items()
    }


class _QueueLine:
    """The queue of one host: the place before its first run, and those after each of its runs."""

    def __init__(self, runs: Sequence[Unfinished], work_of: Mapping[UUID, ExpectedWork]) -> None:
        """Add up the trials and seconds of the queue.

        Args:
            runs: in order.
            work_of: by run id.
        """
        self._keys: list[tuple[datetime, UUID]] = []
        self._places = [QueuePlace()]
        trials, seconds = 0, 0.0
        for run in runs:
            trials += run.trials - run.finished
            # Without work, the run was deleted in the meantime.
            if run.id in work_of:
                seconds += _estimate_seconds_left(run, work_of[run.id])
            self._keys.append((run.created_at, run.id))
            self._places.append(QueuePlace(len(self._keys), trials, seconds))

    @property
    def last(self) -> QueuePlace:
        """The place after all runs."""
        return self._places[-1]

    def find_place(self, run: Waiting) -> QueuePlace:
        """Return the place of a run, which is not in this line if the viewer does not see it."""
        return self._places[bisect_left(self._keys, (run.created_at, run.id))]


def _read_queues(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None = None
) -> tuple[dict[UUID, list[RunInQueue]], dict[UUID, ExpectedWork]]:
    """Return the queues of these hosts, or of all, and the expected work of their runs by id.

    Hosts without unfinished runs are left out.
    """
    runs = repository.list_queued_runs(session, viewer, host_ids)
    runs_of = groupby(runs, key=lambda run: run.host_id)
    return {host_id: list(own) for host_id, own in runs_of}, _read_work(session, runs)


def _read_work(session: Session, runs: Sequence[RunInQueue]) -> dict[UUID, ExpectedWork]:
    """Return the expected work of runs by id."""

    def compute(run_ids: Collection[UUID]) -> dict[UUID, ExpectedWork]:
        return {run.id: expect_work(run) for run in repository.list_with_cells(session, run_ids)}

    with_goal = [run.id for run in runs if run.has_goal]
    work_of = _work_of.read([run.id for run in runs if not run.has_goal], compute)
    return work_of | compute(with_goal) if with_goal else work_of


def _estimate_seconds_left(run: Unfinished, work: ExpectedWork) -> float:
    elapsed = measure_current_seconds(run.began_at)
    total, done = count_done(
        run.trials, run.finished, work.trial_seconds, elapsed, work.most_trials
    )
    return (total - done) * work.trial_seconds

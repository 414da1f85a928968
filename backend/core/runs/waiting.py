"""Estimate how long runs wait for the runs ahead of them."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.access.viewer import Viewer
from backend.core.computed_once import ComputedOnce
from backend.core.models import Run
from backend.core.runs import queues
from backend.core.runs.goal import count_most_blocks, estimate_block_seconds
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.queues import QueuedCell
from backend.core.statuses import RunStatus

_MOST_KNOWN = 10_000
# By cell. The parameters of a cell never change.
_trial_seconds: ComputedOnce[UUID, float] = ComputedOnce(_MOST_KNOWN)


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
        current: the cell of its current trial; None without one.
        last: the place of a run that is queued now.
    """

    current: QueuedCell | None = None
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
    nothing = _QueueLine([], {}, {})
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

    def __init__(
        self,
        cells: Sequence[QueuedCell],
        trial_seconds: Mapping[UUID, float],
        further_seconds: Mapping[UUID, float],
    ) -> None:
        """Add up the seconds of the queue.

        Args:
            cells: of its runs, in order.
            trial_seconds: expected seconds of a trial by cell id.
            further_seconds: of the trials that a run with a goal may get in addition, by run id.
        """
        self._current: QueuedCell | None = None
        self._keys: list[tuple[datetime, UUID]] = []
        self._places = [QueuePlace()]
        trials, seconds, longest, began_at = 0, 0.0, 0.0, None
        for key, own in groupby(cells, key=lambda cell: (cell.created_at, cell.run_id)):
            for cell in own:
                if cell.unfinished:
                    # Its run may be deleted in the meantime.
                    expected = trial_seconds.get(cell.id, 0.0)
                    trials += cell.unfinished
                    seconds += cell.unfinished * expected
                    longest = max(longest, expected)
                if cell.began_at:
                    began_at, self._current = cell.began_at, cell
            seconds += further_seconds.get(key[1], 0.0)
            left = max(0.0, seconds - min(_measure_elapsed_seconds(began_at), longest))
            self._keys.append(key)
            self._places.append(QueuePlace(len(self._keys), trials, left if trials else 0.0))

    @property
    def ends(self) -> QueueEnds:
        """Return the cell of the current trial, and the place after all runs."""
        return QueueEnds(self._current, self._places[-1])

    def find_place(self, run: Waiting) -> QueuePlace:
        """Return the place of a run, which is not in this line if the viewer does not see it."""
        return self._places[bisect_left(self._keys, (run.created_at, run.id))]


def _read_lines(
    session: Session, viewer: Viewer, host_ids: Collection[UUID] | None = None
) -> dict[UUID, _QueueLine]:
    """Return the queues of these hosts, or of all; hosts without unfinished runs are left out."""
    cells = queues.list_queued_cells(session, viewer, host_ids)
    with_goal = {cell.run_id for cell in cells if cell.has_goal}
    goals = queues.list_with_cells(session, with_goal) if with_goal else []
    further = {run.id: _estimate_further_seconds(run) for run in goals}
    seconds = _read_trial_seconds(session, [cell.id for cell in cells if cell.unfinished])
    return {
        host_id: _QueueLine(list(own), seconds, further)
        for host_id, own in groupby(cells, key=lambda cell: cell.host_id)
    }


def _read_trial_seconds(session: Session, cell_ids: Collection[UUID]) -> dict[UUID, float]:
    """Return the expected seconds of a trial of each cell."""

    def compute(missing: Collection[UUID]) -> dict[UUID, float]:
        found = queues.list_parameters(session, missing)
        return {cell_id: expected_trial_seconds(own) for cell_id, own in found.items()}

    return _trial_seconds.read(cell_ids, compute)


def _estimate_further_seconds(run: Run) -> float:
    """Return the seconds of the trials that a run with a goal may get in addition."""
    if run.goal is None or not run.is_goal_open:
        return 0.0
    parameters = [cell.parameters for cell in run.cells]
    blocks = count_most_blocks(run.goal, run.trials_per_cell, parameters) - run.trials_per_cell
    return blocks * estimate_block_seconds(parameters)


def _measure_elapsed_seconds(began_at: datetime | None) -> float:
    if began_at is None:
        return 0.0
    return max(0.0, (datetime.now(UTC) - began_at).total_seconds())

"""Estimate how long runs wait for the runs ahead of them."""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from uuid import UUID

from sqlalchemy.orm import Session

from backend.core.access.viewer import Viewer
from backend.core.models import Run
from backend.core.runs import queues
from backend.core.runs.goal import count_most_blocks, estimate_block_seconds
from backend.core.runs.progress import expected_trial_seconds
from backend.core.runs.queues import QueuedCell
from backend.core.statuses import RunStatus


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


def find_places(session: Session, runs: Sequence[Run], viewer: Viewer) -> dict[UUID, QueuePlace]:
    """Return the places of those of the runs that are queued, by run id.

    Only runs ahead that the viewer sees count.
    """
    queued = [run for run in runs if run.status == RunStatus.QUEUED]
    if not queued:
        return {}
    lines = _read_lines(session, viewer, {run.host_id for run in queued})
    nothing = _QueueLine([], {})
    return {run.id: lines.get(run.host_id, nothing).find_place(run) for run in queued}


def find_last_places(session: Session, viewer: Viewer) -> dict[UUID, QueuePlace]:
    """Return by host id the place of a run that is queued now. Hosts without a queue are left out.

    Only runs ahead that the viewer sees count.
    """
    return {host_id: line.last_place for host_id, line in _read_lines(session, viewer).items()}


class _QueueLine:
    """The queue of one host: the place before its first run, and those after each of its runs."""

    def __init__(
        self,
        cells: Sequence[QueuedCell],
        further_seconds: Mapping[UUID, float],
    ) -> None:
        """Add up the seconds of the queue.

        Args:
            cells: of its runs, in order.
            further_seconds: of the trials that a run with a goal may get in addition, by run id.
        """
        self._keys: list[tuple[datetime, UUID]] = []
        self._places = [QueuePlace()]
        trials, seconds, longest, began_at = 0, 0.0, 0.0, None
        for key, own in groupby(cells, key=lambda cell: (cell.created_at, cell.run_id)):
            _, run_id = key
            for cell in own:
                if cell.unfinished:
                    expected = expected_trial_seconds(cell.parameters)
                    trials += cell.unfinished
                    seconds += cell.unfinished * expected
                    longest = max(longest, expected)
                began_at = cell.began_at or began_at
            seconds += further_seconds.get(run_id, 0.0)
            left = max(0.0, seconds - min(_measure_elapsed_seconds(began_at), longest))
            self._keys.append(key)
            self._places.append(QueuePlace(len(self._keys), trials, left if trials else 0.0))

    @property
    def last_place(self) -> QueuePlace:
        """Return the place after all runs."""
        return self._places[-1]

    def find_place(self, run: Run) -> QueuePlace:
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
    return {
        host_id: _QueueLine(list(own), further)
        for host_id, own in groupby(cells, key=lambda cell: cell.host_id)
    }


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

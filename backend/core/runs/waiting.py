"""Estimate how long a queued run waits for the runs ahead of it."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from backend.core.access.viewer import Viewer
from backend.core.documents import Parameters
from backend.core.models import Run
from backend.core.runs import queues, repository
from backend.core.runs.goal import count_most_blocks, estimate_block_seconds
from backend.core.runs.progress import expected_trial_seconds


def estimate_wait_seconds(session: Session, run: Run, viewer: Viewer) -> float:
    """Return the seconds until the first trial of a queued run starts, without builds.

    A run ahead that has a goal counts until its limits. Only runs that the viewer sees count.
    """
    return _estimate_seconds(
        repository.list_unfinished_ahead(session, run, viewer),
        repository.list_goals_ahead(session, run, viewer),
        repository.find_start_ahead(session, run, viewer),
    )


def estimate_host_waits(session: Session, viewer: Viewer) -> dict[str, float]:
    """Return by host name the seconds until a run that is queued now starts, without builds.

    Hosts without a queue are left out. Only runs that the viewer sees count.
    """
    goals = queues.list_unfinished_goals(session, viewer)
    starts = queues.list_current_starts(session, viewer)
    return {
        host: _estimate_seconds(waiting, goals.get(host, []), starts.get(host))
        for host, waiting in queues.count_waiting(session, viewer).items()
    }


def _estimate_seconds(
    waiting: Sequence[tuple[Parameters, int]], goals: Sequence[Run], began_at: datetime | None
) -> float:
    """Return the seconds that a queue takes.

    Args:
        waiting: parameters and number of its unfinished trials.
        goals: its runs with a goal.
        began_at: when its current trial started.
    """
    if not waiting:
        return 0.0
    queued = sum(count * expected_trial_seconds(parameters) for parameters, count in waiting)
    longest = max(expected_trial_seconds(parameters) for parameters, _ in waiting)
    further = sum(map(_estimate_further_seconds, goals))
    return max(0.0, queued + further - min(_measure_elapsed_seconds(began_at), longest))


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

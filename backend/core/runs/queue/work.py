"""The expected work of a run: how many trials it has at most, and how long they take."""

from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from backend.core.models import Run
from backend.core.runs.goal import count_most_blocks
from backend.core.runs.progress import expected_trial_seconds


@dataclass(frozen=True)
class ExpectedWork:
    """The expected work of a run.

    Attributes:
        trial_seconds: expected duration of one trial, averaged over the run's cells.
        most_trials: of a run that gets further trials until its goal is reached, else None. A
            cancelled run gets none.
    """

    trial_seconds: float
    most_trials: int | None


def measure_current_seconds(began_at: datetime | None) -> float:
    """Return the elapsed time of a trial; 0 without one."""
    if began_at is None:
        return 0.0
    return max(0.0, (datetime.now(UTC) - began_at).total_seconds())


def expect_work(run: Run) -> ExpectedWork:
    """Return what a run is expected to measure, from its cells and its goal."""
    most_trials = None
    if run.goal is not None and run.is_goal_open and run.cancel_requested_at is None:
        parameters = [cell.parameters for cell in run.cells]
        most_blocks = count_most_blocks(run.goal, run.trials_per_cell, parameters)
        most_trials = most_blocks * len(run.cells)
    seconds = fmean(expected_trial_seconds(cell.parameters) for cell in run.cells)
    return ExpectedWork(seconds, most_trials)

"""Progress and remaining time of a run, as pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass

from backend.core.catalog.profiles import most_load_seconds
from backend.core.runs.status import TRIAL_ENDS
from backend.core.statuses import TrialStatus

# Start, verification, collection and removal, as measured by `make bench-trial`. The first build
# of a service takes additional time, which is not predicted.
OVERHEAD_SECONDS = 3.0


@dataclass(frozen=True)
class RunProgress:
    """Counts of trials, elapsed share of the expected time (0 to 1), and seconds left."""

    trials_total: int
    trials_finished: int
    trials_failed: int
    share: float
    estimated_seconds_left: float | None


def expected_trial_seconds(parameters: Mapping[str, int]) -> float:
    """Return the maximum duration of one trial in seconds, without the build of its service."""
    return most_load_seconds(parameters) + OVERHEAD_SECONDS


def count_done(
    trials: int,
    finished: int,
    mean_trial_seconds: float,
    current_seconds: float,
    most_trials: int | None,
) -> tuple[int, float]:
    """Return how many trials a run is expected to have, and how many of them are done.

    The current trial counts with its share. `measure_progress` describes the arguments.
    """
    total = max(trials, most_trials or 0)
    under_way = min(current_seconds / mean_trial_seconds, 0.99) if finished < total else 0.0
    return total, finished + under_way


def measure_progress(
    counts: Mapping[TrialStatus, int],
    mean_trial_seconds: float,
    current_seconds: float,
    most_trials: int | None = None,
) -> RunProgress:
    """Return the progress of a run.

    Args:
        counts: status to number of trials.
        mean_trial_seconds: expected duration of one trial, averaged over the run's cells.
        current_seconds: elapsed time of the current trial, 0 without one.
        most_trials: of a run that gets further trials until its goal is reached. Share and time
            then refer to this number.
    """
    queued = sum(counts.values())
    finished = sum(counts.get(end, 0) for end in TRIAL_ENDS)
    total, done = count_done(queued, finished, mean_trial_seconds, current_seconds, most_trials)
    return RunProgress(
        trials_total=queued,
        trials_finished=finished,
        trials_failed=counts.get(TrialStatus.FAILED, 0),
        share=done / total if total else 1.0,
        estimated_seconds_left=(total - done) * mean_trial_seconds if finished < total else None,
    )

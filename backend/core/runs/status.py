"""Statuses of runs and trials, and every transition between them, as pure functions."""

from collections.abc import Mapping

from backend.core.errors import Conflict
from backend.core.statuses import RunStatus, TrialStatus
from backend.core.units import FailureCause

STAGES = (
    TrialStatus.BUILDING,
    TrialStatus.STARTING,
    TrialStatus.VERIFYING,
    TrialStatus.WARMING_UP,
    TrialStatus.MEASURING,
    TrialStatus.COLLECTING,
)
TRIAL_ENDS = frozenset({TrialStatus.SUCCEEDED, TrialStatus.FAILED, TrialStatus.CANCELLED})
RUN_ENDS = frozenset({RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED})

# A trial that failed for one of these causes is repeated: the service is not to blame.
REPEATED_CAUSES = frozenset({FailureCause.LOAD_GENERATOR, FailureCause.INFRASTRUCTURE})
MAX_REPEATS = 2


def is_repeated(cause: FailureCause, repeats: int) -> bool:
    """Return whether a trial that failed for `cause` after `repeats` repeats is repeated."""
    return cause in REPEATED_CAUSES and repeats < MAX_REPEATS


def check_transition(current: TrialStatus, new: TrialStatus) -> None:
    """Raise Conflict unless a trial may go from `current` to `new`.

    Stages go forward; WARMING_UP may be skipped. Every stage may fail, be cancelled, or go back to
    the queue when its worker is lost. An ended trial never changes.
    """
    if current in TRIAL_ENDS:
        allowed = False
    elif new in (TrialStatus.FAILED, TrialStatus.CANCELLED):
        allowed = True
    elif new is TrialStatus.QUEUED:
        allowed = current in STAGES
    elif current is TrialStatus.QUEUED:
        allowed = new is TrialStatus.BUILDING
    elif new is TrialStatus.SUCCEEDED:
        allowed = current is TrialStatus.COLLECTING
    else:
        skipped = STAGES[STAGES.index(current) + 1 : STAGES.index(new)]
        forward = STAGES.index(new) > STAGES.index(current)
        allowed = forward and set(skipped) <= {TrialStatus.WARMING_UP}
    if not allowed:
        raise Conflict(f"A trial cannot go from {current} to {new}.")


def run_status(
    counts: Mapping[TrialStatus, int],
    cancel_requested: bool,
    is_goal_open: bool = False,
    has_goal_failed: bool = False,
) -> RunStatus:
    """Return the status of a run, given the numbers of its trials by their status.

    A run ends when every trial has ended. It is `cancelled` if cancellation was requested and
    ended a trial, `failed` if any trial failed (the results of the others stay), else `succeeded`.

    Args:
        is_goal_open: further trials may follow. Such a run ends only if it is cancelled.
        has_goal_failed: Tacho could not judge the goal of the run, which then has failed.
    """
    present = {status for status, count in counts.items() if count}
    if present <= TRIAL_ENDS:
        if is_goal_open:
            return RunStatus.CANCELLED if cancel_requested else RunStatus.RUNNING
        if cancel_requested and TrialStatus.CANCELLED in present:
            return RunStatus.CANCELLED
        has_failed = has_goal_failed or TrialStatus.FAILED in present
        return RunStatus.FAILED if has_failed else RunStatus.SUCCEEDED
    return RunStatus.QUEUED if present == {TrialStatus.QUEUED} else RunStatus.RUNNING

"""Goals of requested runs, and the time of their trials."""

from datetime import UTC, datetime, timedelta

from backend.core.documents import CellRequest, RunGoal, RunRequest
from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.models import Trial
from backend.core.runs.goal import (
    FIRST_BLOCKS,
    count_blocks,
    count_first_trials,
    count_most_blocks,
    count_most_trials,
    find_elapsed_seconds,
    is_overdue,
)
from backend.core.statuses import TrialStatus

CELLS = [CellRequest("node", "hello")]
LOAD = {"warm_up_seconds": 2, "duration_seconds": 5}


def trial(start: float, end: float, build: float = 0.0) -> Trial:
    at = datetime(2026, 11, 23, tzinfo=UTC)
    return Trial(
        started_at=at + timedelta(seconds=start),
        finished_at=at + timedelta(seconds=end),
        stage_seconds={"building": build},
    )


def test_the_first_blocks_are_enough_for_the_first_test() -> None:
    assert FIRST_BLOCKS == FIRST_LOOK


def test_a_run_begins_with_few_trials_and_counts_with_its_limit() -> None:
    request = RunRequest(cells=CELLS, goal=RunGoal(20, 30))

    assert (count_first_trials(request), count_most_trials(request)) == (FIRST_BLOCKS, 20)
    fixed = RunRequest(cells=CELLS, trials=5)
    assert (count_first_trials(fixed), count_most_trials(fixed)) == (5, 5)


def test_the_goal_changes_the_digest_only_if_there_is_one() -> None:
    fixed, again = RunRequest(cells=CELLS, trials=5), RunRequest(cells=CELLS, trials=5, goal=None)
    goals = [RunRequest(cells=CELLS, goal=RunGoal(20, minutes)) for minutes in (3, 30)]

    assert fixed.digest == again.digest
    assert len({fixed.digest, *(request.digest for request in goals)}) == 3


def test_builds_do_not_count_as_elapsed_time() -> None:
    trials = [trial(0, 130, build=100), trial(130, 180, build=20), trial(180, 210)]

    assert find_elapsed_seconds(trials) == 210 - 120
    assert find_elapsed_seconds([Trial(), *trials]) == 210 - 120
    assert find_elapsed_seconds([]) == 0


def test_limits_in_blocks() -> None:
    # A block takes 2 × (2 + 5 + 3) seconds.
    assert count_most_blocks(RunGoal(20, 3), 3, [LOAD, LOAD]) == 9
    assert count_most_blocks(RunGoal(5, 3), 3, [LOAD, LOAD]) == 5
    assert count_most_blocks(RunGoal(50, 1), 4, [LOAD, LOAD]) == 4


def test_a_run_is_overdue_if_the_next_trial_would_end_after_its_limit() -> None:
    trials = [trial(0, 50), trial(50, 100), Trial()]

    assert is_overdue(RunGoal(20, 2), trials)
    assert not is_overdue(RunGoal(20, 3), trials)
    assert not is_overdue(RunGoal(20, 3), [trial(0, 5_000, build=4_990), Trial()])
    assert not is_overdue(RunGoal(20, 1), [Trial()])


def test_a_block_without_a_queued_or_cancelled_trial_is_complete() -> None:
    def ended(repetition: int, status: TrialStatus) -> Trial:
        return Trial(repetition=repetition, status=status)

    trials = [
        *(ended(1, TrialStatus.SUCCEEDED), ended(1, TrialStatus.FAILED)),
        *(ended(2, TrialStatus.SUCCEEDED), ended(2, TrialStatus.CANCELLED)),
        ended(3, TrialStatus.QUEUED),
    ]

    assert count_blocks(trials) == 1

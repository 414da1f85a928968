"""Whether a run goes on, and why it stops."""

import pytest

from backend.core.documents import GoalJudgement, RunGoal
from backend.core.goals.judging import GroupProgress, decide
from backend.core.statuses import GoalState

GOAL = RunGoal(max_trials=10, max_minutes=5)
RANKED = GroupProgress([], is_judged=True, more_trials=0, continued=[])
OPEN = GroupProgress([[0, 1]], is_judged=True, more_trials=4, continued=[0, 1])
EMPTY = GroupProgress([], is_judged=False, more_trials=None, continued=[])


def judgement(
    *groups: GroupProgress, blocks: int = 3, elapsed: float = 100, following: float = 30
) -> GoalJudgement:
    return decide(groups, GOAL, blocks=blocks, elapsed_seconds=elapsed, next_seconds=following)


def test_a_run_goes_on_while_a_group_is_undecided() -> None:
    assert judgement(RANKED, OPEN) == GoalJudgement(GoalState.OPEN, 3, [[0, 1]], 4)


@pytest.mark.parametrize(
    ("groups", "state"),
    [
        ([RANKED], GoalState.REACHED),
        ([RANKED, EMPTY], GoalState.REACHED),
        ([EMPTY], GoalState.UNREACHABLE),
        ([], GoalState.UNREACHABLE),
    ],
)
def test_a_run_without_undecided_results_stops(
    groups: list[GroupProgress], state: GoalState
) -> None:
    # Even at its limits.
    assert judgement(*groups, blocks=10, elapsed=500) == GoalJudgement(state, 10)


@pytest.mark.parametrize(
    ("blocks", "elapsed", "state"),
    [
        (9, 270, GoalState.OPEN),
        (9, 271, GoalState.MAX_MINUTES),
        (10, 100, GoalState.MAX_TRIALS),
    ],
)
def test_limits(blocks: int, elapsed: float, state: GoalState) -> None:
    assert judgement(OPEN, blocks=blocks, elapsed=elapsed).state is state


def test_the_estimate_is_that_of_the_slowest_group() -> None:
    slow = GroupProgress([[2, 3]], is_judged=True, more_trials=9, continued=[2, 3])
    unknown = GroupProgress([[2, 3]], is_judged=True, more_trials=None, continued=[2, 3])

    assert judgement(OPEN, slow, RANKED).more_trials == 9
    assert judgement(OPEN, unknown).more_trials is None

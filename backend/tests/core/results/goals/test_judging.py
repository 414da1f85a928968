"""Whether a run goes on, and why it stops."""

import pytest

from backend.core.documents import GoalJudgement, RunGoal
from backend.core.results.goals.judging import GroupProgress, RunCost, decide
from backend.core.statuses import GoalState

GOAL = RunGoal(max_trials=10, max_minutes=5)
RANKED = GroupProgress([], is_judged=True, more_trials=0, continued=[], answer="A is best")
OPEN = GroupProgress([[0, 1]], is_judged=True, more_trials=4, continued=[0, 1])
EMPTY = GroupProgress(
    [], is_judged=False, more_trials=None, continued=[], obstacles=["B has no result"]
)
FULL = GroupProgress([[0, 1]], is_judged=True, more_trials=4, continued=[])


def judgement(*groups: GroupProgress, elapsed: float = 100) -> GoalJudgement:
    return decide(groups, GOAL, RunCost(3, elapsed, 30))


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
    found = judgement(*groups, elapsed=500)

    assert (found.state, found.blocks, list(found.undecided)) == (state, 3, [])
    assert found.statement == ("A is best" if state is GoalState.REACHED else None)
    assert list(found.obstacles) == (["B has no result"] if groups == [EMPTY] else [])


@pytest.mark.parametrize(
    ("groups", "elapsed", "state"),
    [
        ([OPEN], 270, GoalState.OPEN),
        ([OPEN], 271, GoalState.MAX_MINUTES),
        ([FULL], 100, GoalState.MAX_TRIALS),
        ([FULL, OPEN], 100, GoalState.OPEN),
    ],
)
def test_limits(groups: list[GroupProgress], elapsed: float, state: GoalState) -> None:
    assert judgement(*groups, elapsed=elapsed).state is state


def test_the_estimate_is_that_of_the_slowest_group() -> None:
    slow = GroupProgress([[2, 3]], is_judged=True, more_trials=9, continued=[2, 3])
    unknown = GroupProgress([[2, 3]], is_judged=True, more_trials=None, continued=[2, 3])

    assert judgement(OPEN, slow, RANKED).more_trials == 9
    assert judgement(OPEN, unknown).more_trials is None

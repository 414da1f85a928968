"""Sentences about the goal of a run."""

import pytest

from backend.core.documents import GoalJudgement, Precision, RunGoal
from backend.core.results.run_results.goal_sentence import describe_goal
from backend.core.statuses import GoalState
from backend.core.units import Metric

RANKED = RunGoal(max_trials=20, max_minutes=10)
PRECISE = RunGoal(max_trials=20, max_minutes=1, precision=Precision(Metric.LATENCY_P99_MS, 5))
NAMES = dict(enumerate(["Node.js", "Go net/http", "FastAPI", "Axum", "Ktor", "Vert.x"]))


@pytest.mark.parametrize(
    ("goal", "judgement", "sentence"),
    [
        (
            RANKED,
            GoalJudgement(
                GoalState.REACHED, 6, statement="Go net/http uses the least CPU per request"
            ),
            "Stopped after 6 trials each: Go net/http uses the least CPU per request.",
        ),
        (
            PRECISE,
            GoalJudgement(GoalState.REACHED, 6),
            "Stopped after 6 trials each: latency p99 of every result is known within ±5 %.",
        ),
        (
            RANKED,
            GoalJudgement(GoalState.MAX_MINUTES, 5, [[0, 1]], 7),
            "Limit of 10 minutes reached after 5 trials each; about 7 more trials each would be "
            "needed to rank Node.js and Go net/http.",
        ),
        (
            PRECISE,
            GoalJudgement(GoalState.MAX_MINUTES, 5, [[0]], 1),
            "Limit of 1 minute reached after 5 trials each; about 1 more trial each would be "
            "needed to know latency p99 of Node.js within ±5 %.",
        ),
        (
            RANKED,
            GoalJudgement(GoalState.MAX_TRIALS, 20, [[0, 1]], 40_000),
            "Limit of 20 trials each reached; more than 1,000 more trials each would be needed to "
            "rank Node.js and Go net/http.",
        ),
        (
            RANKED,
            GoalJudgement(GoalState.MAX_MINUTES, 4, [[0, 1]], 2, is_least=True),
            "Limit of 10 minutes reached after 4 trials each; at least 2 more trials each would be "
            "needed to rank Node.js and Go net/http.",
        ),
        (
            RANKED,
            GoalJudgement(GoalState.MAX_TRIALS, 20, [[a, b] for a in range(6) for b in range(a)]),
            "Limit of 20 trials each reached; no number of further trials would be enough to rank "
            "Go net/http, Node.js, FastAPI, Axum and 2 more, because the errors of this host are "
            "too large.",
        ),
        (
            RANKED,
            GoalJudgement(
                GoalState.UNREACHABLE, 3, obstacles=["Node.js is excluded (too many errors)"]
            ),
            "Stopped after 3 trials each: fewer than two results are left to rank because Node.js "
            "is excluded (too many errors); at least 3 more trials each of two usable results "
            "would be needed.",
        ),
        (
            RANKED,
            GoalJudgement(GoalState.FAILED, 3, failures=5),
            "Stopped after 3 trials each: Tacho could not judge the goal because of an internal "
            "error. The dispatcher's log has the details. Run it again.",
        ),
        (
            PRECISE,
            GoalJudgement(GoalState.UNREACHABLE, 3),
            "Stopped after 3 trials each: no result has a usable value of latency p99.",
        ),
    ],
)
def test_why_a_run_stopped(goal: RunGoal, judgement: GoalJudgement, sentence: str) -> None:
    assert describe_goal(goal, judgement, NAMES, has_ended=True) == sentence


@pytest.mark.parametrize(
    ("judgement", "sentence"),
    [
        (
            None,
            "The run continues until the ranking is certain. This is tested after 3 trials each, "
            "and then after each further trial of all results.",
        ),
        (
            GoalJudgement(GoalState.OPEN, 4, [[0, 1]], 2),
            "4 trials each so far; about 2 more each until the ranking is certain.",
        ),
        (
            GoalJudgement(GoalState.OPEN, 4, [[0, 1]]),
            "4 trials each so far. The run continues until the ranking is certain.",
        ),
    ],
)
def test_what_a_run_waits_for(judgement: GoalJudgement | None, sentence: str) -> None:
    assert describe_goal(RANKED, judgement, NAMES, has_ended=False) == sentence
    assert describe_goal(RANKED, judgement, NAMES, has_ended=True) is None

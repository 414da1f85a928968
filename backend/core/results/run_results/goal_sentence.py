"""Describe how far a run with a goal is, in one sentence; pure."""

from collections.abc import Mapping, Sequence

from backend.core.documents import GoalJudgement, RunGoal
from backend.core.models import Run
from backend.core.numbers import agree, count_of, format_figure, join_first, join_words
from backend.core.results.ranking.metric_words import lower_title
from backend.core.runs.goal import FIRST_BLOCKS
from backend.core.runs.status import RUN_ENDS
from backend.core.statuses import GoalState
from backend.core.units import METRICS

# More names are counted, and larger estimates are given as "more than".
_MOST_NAMED = 4
_MOST_ESTIMATED = 1_000


def describe_run_goal(run: Run) -> str | None:
    """Return `describe_goal` of a run; None for a run without a goal."""
    if run.goal is None:
        return None
    names = {cell.position: cell.framework.name for cell in run.cells}
    return describe_goal(run.goal, run.goal_judgement, names, has_ended=run.status in RUN_ENDS)


def describe_goal(
    goal: RunGoal, judgement: GoalJudgement | None, names: Mapping[int, str], *, has_ended: bool
) -> str | None:
    """Return why a run stopped, or what it still waits for; None if it was cancelled before.

    Args:
        judgement: after the last complete block; None before the first judgement.
        names: of the results, by the positions of their cells.
        has_ended: whether the run has ended.
    """
    if judgement is None or judgement.state is GoalState.OPEN:
        return None if has_ended else _describe_open(goal, judgement)
    return f"{_describe_end(goal, judgement, names)}."


def _describe_end(goal: RunGoal, judgement: GoalJudgement, names: Mapping[int, str]) -> str:
    stopped = f"Stopped after {count_of(judgement.blocks, 'trial')} each"
    match judgement.state:
        case GoalState.REACHED:
            return f"{stopped}: {_describe_reached(goal, judgement)}"
        case GoalState.UNREACHABLE:
            return f"{stopped}: {_describe_unreachable(goal, judgement)}"
        case GoalState.FAILED:
            return (
                f"{stopped}: Tacho could not judge the goal because of an internal error. The "
                "dispatcher's log has the details. Run it again"
            )
        case GoalState.MAX_MINUTES:
            limit = f"Limit of {count_of(goal.max_minutes, 'minute')} reached after "
            limit += f"{count_of(judgement.blocks, 'trial')} each"
        case _:
            limit = f"Limit of {count_of(goal.max_trials, 'trial')} each reached"
    return f"{limit}; {_describe_missing(goal, judgement, names)}"


def _describe_open(goal: RunGoal, judgement: GoalJudgement | None) -> str:
    end = "the ranking is certain"
    if goal.precision is not None:
        end = f"{_title(goal)} is known within ±{format_figure(goal.precision.percent)} %"
    if judgement is None:
        return (
            f"The run continues until {end}. This is tested after {FIRST_BLOCKS} trials each, and "
            "then after each further trial of all results."
        )
    done = f"{count_of(judgement.blocks, 'trial')} each so far"
    if judgement.more_trials is None:
        return f"{done}. The run continues until {end}."
    return f"{done}; {_estimate(judgement)} more each until {end}."


def _describe_reached(goal: RunGoal, judgement: GoalJudgement) -> str:
    if goal.precision is None:
        return judgement.statement or "the ranking is certain"
    percent = format_figure(goal.precision.percent)
    return f"{_title(goal)} of every result is known within ±{percent} %"


def _describe_unreachable(goal: RunGoal, judgement: GoalJudgement) -> str:
    if goal.precision is not None:
        return f"no result has a usable value of {_title(goal)}"
    why = f" because {join_words(judgement.obstacles)}" if judgement.obstacles else ""
    return (
        f"fewer than two results are left to rank{why}; at least {FIRST_BLOCKS} more trials each "
        "of two usable results would be needed"
    )


def _describe_missing(goal: RunGoal, judgement: GoalJudgement, names: Mapping[int, str]) -> str:
    found = _name_results(judgement.undecided, names)
    if goal.precision is None:
        purpose = f"rank {found}"
    else:
        percent = format_figure(goal.precision.percent)
        purpose = f"know {_title(goal)} of {found} within ±{percent} %"
    if judgement.more_trials is None:
        return (
            f"no number of further trials would be enough to {purpose}, because the errors of this "
            "host are too large"
        )
    trials = agree(judgement.more_trials, "trial")
    return f"{_estimate(judgement)} more {trials} each would be needed to {purpose}"


def _name_results(undecided: Sequence[Sequence[int]], names: Mapping[int, str]) -> str:
    found = list(dict.fromkeys(names[position] for group in undecided for position in group))
    return join_first(found, _MOST_NAMED)


def _estimate(judgement: GoalJudgement) -> str:
    trials = judgement.more_trials or 0
    if trials > _MOST_ESTIMATED:
        return f"more than {_MOST_ESTIMATED:,}"
    return f"{'at least' if judgement.is_least else 'about'} {trials}"


def _title(goal: RunGoal) -> str:
    assert goal.precision is not None
    return lower_title(METRICS[goal.precision.metric].title)

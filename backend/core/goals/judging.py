"""Judge how far a run with a goal is, from its results; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.core.documents import GoalJudgement, Precision, RunGoal
from backend.core.ranking.candidate_ranking import Candidate
from backend.core.run_results.groups import ResultGroup
from backend.core.run_results.rankings import (
    find_group_metric,
    judge_group_pairs,
    list_candidates,
)
from backend.core.statistics.comparison import Word
from backend.core.statistics.sequential import Goal, GoalKind, judge
from backend.core.statuses import GoalState


@dataclass(frozen=True)
class GroupProgress:
    """How far a group is.

    Attributes:
        undecided: positions of cells in the run: pairs that are not ranked yet, or single cells
            that are not precise enough yet.
        is_judged: False if the group has too few results that can be judged.
        more_trials: estimated number of further trials per cell; None without an estimate.
        continued: positions of the cells that get another trial if the run goes on.
    """

    undecided: Sequence[Sequence[int]]
    is_judged: bool
    more_trials: int | None
    continued: Sequence[int]


def judge_groups(groups: Sequence[ResultGroup], goal: RunGoal) -> list[GroupProgress]:
    """Return how far each group is after the last complete block."""
    if goal.precision is None:
        return [_judge_ranking(group, goal) for group in groups]
    return [_judge_precision(group, goal, goal.precision) for group in groups]


def decide(
    groups: Sequence[GroupProgress],
    goal: RunGoal,
    *,
    blocks: int,
    elapsed_seconds: float,
    next_seconds: float,
) -> GoalJudgement:
    """Return whether the run goes on, and if not, why it stops.

    Args:
        blocks: the number of complete blocks.
        elapsed_seconds: of the run so far, without builds.
        next_seconds: estimated duration of the next block.
    """
    if not any(group.undecided for group in groups):
        is_judged = any(group.is_judged for group in groups)
        return GoalJudgement(GoalState.REACHED if is_judged else GoalState.UNREACHABLE, blocks)
    state = GoalState.OPEN
    if blocks >= goal.max_trials:
        state = GoalState.MAX_TRIALS
    elif elapsed_seconds + next_seconds > goal.max_minutes * 60:
        state = GoalState.MAX_MINUTES
    estimates = [group.more_trials for group in groups if group.undecided]
    known = [estimate for estimate in estimates if estimate is not None]
    return GoalJudgement(
        state,
        blocks,
        [pair for group in groups for pair in group.undecided],
        max(known) if len(known) == len(estimates) else None,
    )


def _judge_ranking(group: ResultGroup, goal: RunGoal) -> GroupProgress:
    metric = find_group_metric(group)
    candidates = list_candidates(group, metric, goal)
    places = [result.cell.position for result in group.cells]
    compared = judge_group_pairs(candidates, metric, goal)
    pairs = compared.list_pairs(Word.INCONCLUSIVE)
    # Without a block in which all results have a value, no pair is known yet.
    eligible = compared.positions
    if not compared.state.blocks_done:
        pairs = [(a, b) for at, a in enumerate(eligible) for b in eligible[at + 1 :]]
    return GroupProgress(
        undecided=[[places[first], places[second]] for first, second in pairs],
        is_judged=bool(compared.state.pairs),
        more_trials=compared.state.blocks_needed,
        continued=_list_continued(candidates, places) if pairs else [],
    )


def _judge_precision(group: ResultGroup, goal: RunGoal, precision: Precision) -> GroupProgress:
    candidates = list_candidates(group, precision.metric, goal)
    places = [result.cell.position for result in group.cells]
    rule = Goal(GoalKind.PRECISION, precision.metric, precision.percent)
    undecided, estimates = [], []
    judged = [
        (place, candidate)
        for place, candidate in zip(places, candidates, strict=True)
        if candidate.values and not candidate.excluded_by
    ]
    for place, candidate in judged:
        state = judge([[*candidate.values.values()]], rule, goal.max_trials)
        if not state.is_reached:
            undecided.append([place])
            estimates.append(state.blocks_needed)
    known = [estimate for estimate in estimates if estimate is not None]
    return GroupProgress(
        undecided=undecided,
        is_judged=bool(judged),
        more_trials=max(known) if known and len(known) == len(estimates) else None,
        continued=_list_continued(candidates, places) if undecided else [],
    )


def _list_continued(candidates: Sequence[Candidate], places: Sequence[int]) -> list[int]:
    """Return the positions of the results that are not excluded from ranking."""
    return [
        place
        for place, candidate in zip(places, candidates, strict=True)
        if not candidate.excluded_by
    ]

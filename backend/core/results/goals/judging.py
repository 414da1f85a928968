"""Judge how far a run with a goal is, and describe what it shows, from its results; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from backend.core.documents import GoalJudgement, Precision, RunGoal
from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.measurement.statistics.comparison import PairState
from backend.core.measurement.statistics.sequential import Goal, GoalKind, judge
from backend.core.numbers import join_first, join_words
from backend.core.results.cell_result import RunCellResult
from backend.core.results.ranking.candidate_ranking import Candidate
from backend.core.results.ranking.comparison_text import format_margin
from backend.core.results.ranking.metric_words import find_words, lower_title
from backend.core.results.ranking.sentence import are_equivalent
from backend.core.results.run_results.groups import ResultGroup
from backend.core.results.run_results.rankings import (
    GroupRanking,
    find_group_metric,
    judge_group_pairs,
    list_candidates,
    rank_group,
)
from backend.core.statuses import GoalState, TrialStatus
from backend.core.units import Purpose

# More names are counted.
_MOST_NAMED = 4


@dataclass(frozen=True)
class GroupProgress:
    """How far a group is.

    Attributes:
        undecided: positions of cells in the run: pairs that are not ranked yet, or single cells
            that are not precise enough yet.
        is_judged: False if the group has too few results that can be judged.
        more_trials: estimated number of further trials per cell; None if no number is enough.
        continued: positions of the cells that get another trial if the run goes on. Empty if the
            group has all the blocks that the goal allows.
        is_least: whether `more_trials` is only the least number with which it can be judged.
        answer: what the group shows if nothing is undecided.
        obstacles: why results are left out.
    """

    undecided: Sequence[Sequence[int]]
    is_judged: bool
    more_trials: int | None
    continued: Sequence[int]
    is_least: bool = False
    answer: str | None = None
    obstacles: Sequence[str] = ()


@dataclass(frozen=True)
class RunCost:
    """The cost of a run so far.

    Attributes:
        blocks: the number of complete blocks.
        elapsed_seconds: of the run so far, without builds.
        next_seconds: estimated duration of the next block.
    """

    blocks: int
    elapsed_seconds: float
    next_seconds: float


def judge_groups(groups: Sequence[ResultGroup], goal: RunGoal) -> list[GroupProgress]:
    """Return how far each group is after the last complete block."""
    precision = goal.precision
    if precision is None:
        return [_judge_ranking(group, goal) for group in groups]
    return [_judge_precision(group, goal, precision) for group in groups]


def decide(groups: Sequence[GroupProgress], goal: RunGoal, cost: RunCost) -> GoalJudgement:
    """Return whether the run goes on, and if not, why it stops."""
    undecided = [group for group in groups if group.undecided]
    if not undecided:
        answers = [group.answer for group in groups if group.is_judged]
        return GoalJudgement(
            GoalState.REACHED if answers else GoalState.UNREACHABLE,
            cost.blocks,
            statement=answers[0] if len(answers) == 1 else None,
            obstacles=[] if answers else [text for group in groups for text in group.obstacles],
        )
    state = GoalState.OPEN
    if not any(group.continued for group in undecided):
        state = GoalState.MAX_TRIALS
    elif cost.elapsed_seconds + cost.next_seconds > goal.max_minutes * 60:
        state = GoalState.MAX_MINUTES
    estimates = [group.more_trials for group in undecided]
    known = [estimate for estimate in estimates if estimate is not None]
    return GoalJudgement(
        state,
        cost.blocks,
        [pair for group in undecided for pair in group.undecided],
        max(known) if len(known) == len(estimates) else None,
        is_least=any(group.is_least for group in undecided),
    )


def _judge_ranking(group: ResultGroup, goal: RunGoal) -> GroupProgress:
    metric = find_group_metric(group)
    candidates = list_candidates(group, metric, goal)
    places = [result.cell.position for result in group.cells]
    compared = judge_group_pairs(candidates, metric, goal)
    eligible = compared.positions
    waiting = _list_waiting(group, candidates)
    # More trials never narrow what steps show about the rate that a service sustains.
    is_of_steps = any(candidate.rates for candidate in candidates)
    pairs = [] if is_of_steps else compared.list_pairs(PairState.UNDECIDED)
    # Without a block in which all results have a value, no pair is known yet.
    if not compared.state.blocks_done:
        pairs = list(combinations(eligible, 2))
    pairs += [
        pair for pair in combinations(sorted({*eligible, *waiting}), 2) if set(pair) & set(waiting)
    ]
    blocks = _count_blocks([candidates[at] for at in (*eligible, *waiting)])
    missing = FIRST_LOOK - blocks
    estimate = compared.state.blocks_needed if compared.state.pairs else 0
    may_continue = blocks < goal.max_trials
    return GroupProgress(
        undecided=[[places[first], places[second]] for first, second in pairs],
        is_judged=bool(compared.state.pairs),
        more_trials=None if estimate is None else max(estimate, missing, 0),
        continued=_list_continued(candidates, places) if pairs and may_continue else [],
        is_least=missing > 0,
        answer=None
        if pairs or not compared.state.pairs
        else _describe_answer(rank_group(group, Purpose.COMPARISON, metric, goal=goal)),
        obstacles=_describe_obstacles(candidates),
    )


def _judge_precision(group: ResultGroup, goal: RunGoal, precision: Precision) -> GroupProgress:
    candidates = list_candidates(group, precision.metric, goal)
    places = [result.cell.position for result in group.cells]
    rule = Goal(GoalKind.PRECISION, precision.metric, precision.percent)
    waiting = _list_waiting(group, candidates)
    undecided, estimates, blocks = [], [], []
    judged = [
        position
        for position, candidate in enumerate(candidates)
        if (candidate.values or position in waiting) and not candidate.excluded_by
    ]
    for position in judged:
        values = [*candidates[position].values.values()]
        state = judge([values], rule, goal.max_trials)
        if not state.is_reached:
            undecided.append([places[position]])
            missing = FIRST_LOOK - len(values)
            estimates.append(missing if missing > 0 else state.blocks_needed)
            blocks.append(len(values))
    known = [estimate for estimate in estimates if estimate is not None]
    may_continue = min(blocks, default=0) < goal.max_trials
    return GroupProgress(
        undecided=undecided,
        is_judged=bool(judged),
        more_trials=max(known) if known and len(known) == len(estimates) else None,
        continued=_list_continued(candidates, places) if undecided and may_continue else [],
        is_least=min(blocks, default=FIRST_LOOK) < FIRST_LOOK,
        obstacles=_describe_obstacles(candidates),
    )


def _list_waiting(group: ResultGroup, candidates: Sequence[Candidate]) -> list[int]:
    """Return the results that have too few values, although further trials would give them more.

    Without a single value, that is so only if trials were not run in time.
    """
    return [
        position
        for position, (result, candidate) in enumerate(zip(group.cells, candidates, strict=True))
        if not candidate.excluded_by
        and len(candidate.values) < FIRST_LOOK
        and (candidate.values or _was_cancelled(result))
    ]


def _was_cancelled(result: RunCellResult) -> bool:
    return any(trial.status == TrialStatus.CANCELLED for trial in result.trials)


def _count_blocks(candidates: Sequence[Candidate]) -> int:
    """Return the number of blocks in which each of these results has a value that counts."""
    repetitions = [set(candidate.values) for candidate in candidates]
    return len(set.intersection(*repetitions)) if repetitions else 0


def _list_continued(candidates: Sequence[Candidate], places: Sequence[int]) -> list[int]:
    """Return the positions of the results that are not excluded from ranking."""
    return [
        place
        for place, candidate in zip(places, candidates, strict=True)
        if not candidate.excluded_by
    ]


def _describe_answer(ranking: GroupRanking) -> str:
    """Return which results are best, or that all are equivalent.

    The sentence has no figures that later calibrations change.

    `Go net/http uses the least CPU per request`
    """
    ranked = [candidate for _, candidate in ranking.list_ranked() if candidate.rank]
    firsts = [candidate for candidate in ranked if candidate.rank == 1]
    names = join_first([candidate.candidate.name for candidate in firsts], _MOST_NAMED)
    info = ranking.info
    title = lower_title(info.title)
    are_alike = are_equivalent(firsts)
    if len(firsts) == len(ranked) and are_alike:
        margin = format_margin(ranking.ranking.instrument, is_share=info.is_share)
        return f"{names} are equivalent in {title}, within {margin}"
    if not are_alike:
        return f"{names} {PairState.UNDECIDED.words} in {title}"
    words = find_words(ranking.metric)
    return f"{names} {words.verb(len(firsts))} {words.best}"


def _describe_obstacles(candidates: Sequence[Candidate]) -> list[str]:
    """Return why results cannot be judged: `Node.js is excluded (too many errors)`."""
    described = []
    for candidate in candidates:
        if candidate.excluded_by:
            reasons = join_words(candidate.excluded_by)
            described.append(f"{candidate.name} is excluded ({reasons})")
        elif candidate.estimate is None:
            described.append(f"{candidate.name} has no result")
    return described

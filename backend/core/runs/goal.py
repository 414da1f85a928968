"""Check the goal of a requested run, and plan its trials block by block; pure."""

import random
from collections import Counter
from collections.abc import Sequence
from math import ceil

from backend.core.documents import Parameters, RunGoal, RunRequest
from backend.core.models import Trial
from backend.core.runs.progress import expected_trial_seconds
from backend.core.statuses import TrialStatus

# The number of blocks before the goal is judged for the first time. A block is one trial per cell.
FIRST_BLOCKS = 3


def count_first_trials(request: RunRequest) -> int:
    """Return the number of trials per cell that a requested run begins with."""
    return FIRST_BLOCKS if request.trials is None else request.trials


def count_most_trials(request: RunRequest) -> int:
    """Return the largest number of trials per cell that a requested run can have."""
    return request.goal.max_trials if request.goal else count_first_trials(request)


def find_goal_problems(
    goal: RunGoal, groups: Sequence[object], parameters: Sequence[Parameters]
) -> list[dict[str, str]]:
    """Return the problems of a goal: field of the request and how to fix it.

    Args:
        groups: for each cell, what it shares with the cells that it is ranked with.
        parameters: of the load of each cell.
    """
    problems = []
    if goal.precision is None and max(Counter(map(str, groups)).values(), default=0) < 2:
        detail = (
            "`ranked` needs at least two cells with the same scenario, profile and parameters. Add "
            "a framework, or use a precision: "
            '{"metric": "latency_p99_ms", "precision_percent": 5}.'
        )
        problems.append({"field": "until", "detail": detail})
    minutes = ceil(FIRST_BLOCKS * estimate_block_seconds(parameters) / 60)
    if minutes > goal.max_minutes:
        detail = (
            f"is {goal.max_minutes}, but the first {FIRST_BLOCKS} trials of each cell take about "
            f"{minutes} minutes. Use {minutes} or more, fewer cells or a shorter load."
        )
        problems.append({"field": "max_minutes", "detail": detail})
    return problems


def estimate_block_seconds(parameters: Sequence[Parameters]) -> float:
    """Return the expected duration of a block in seconds, without builds.

    Args:
        parameters: of the load of each cell in the block.
    """
    return sum(map(expected_trial_seconds, parameters))


def count_most_blocks(goal: RunGoal, blocks: int, parameters: Sequence[Parameters]) -> int:
    """Return the largest number of blocks that the limits of a run are expected to allow.

    Args:
        blocks: queued so far.
        parameters: of the load of each cell.
    """
    in_time = int(goal.max_minutes * 60 / estimate_block_seconds(parameters))
    return max(blocks, min(goal.max_trials, in_time))


def is_overdue(goal: RunGoal, trials: Sequence[Trial]) -> bool:
    """Return whether the next trial of a run would end after its limit of minutes."""
    elapsed, ended = find_elapsed_seconds(trials), len(_list_ended(trials))
    return ended > 0 and elapsed + elapsed / ended > goal.max_minutes * 60


def count_blocks(trials: Sequence[Trial]) -> int:
    """Return the number of blocks that have no queued or cancelled trial."""
    missing = {TrialStatus.QUEUED, TrialStatus.CANCELLED}
    incomplete = {trial.repetition for trial in trials if trial.status in missing}
    return len({trial.repetition for trial in trials} - incomplete)


def find_elapsed_seconds(trials: Sequence[Trial]) -> float:
    """Return the time that the ended trials of a run took, without their builds.

    It counts from the first trial's build to the last trial's end, pauses of the host included.
    """
    ended = _list_ended(trials)
    if not ended:
        return 0.0
    first = min(trial.started_at for trial in ended if trial.started_at)
    last = max(trial.finished_at for trial in ended if trial.finished_at)
    builds = sum(trial.stage_seconds.get("building", 0.0) for trial in ended)
    return max(0.0, (last - first).total_seconds() - builds)


def _list_ended(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.started_at and trial.finished_at]


def interleave(cells: int, repetitions: int, seed: int) -> list[tuple[int, int]]:
    """Return repetition 1 of every cell in random order, then repetition 2, and so on.

    Drift of the host then affects all cells equally. The same seed gives the same order.

    Returns:
        `cells * repetitions` pairs of cell index (from 0) and repetition (from 1).
    """
    chance = random.Random(seed)  # noqa: S311  a reproducible order, not a secret
    order: list[tuple[int, int]] = []
    for repetition in range(1, repetitions + 1):
        round_ = list(range(cells))
        chance.shuffle(round_)
        order.extend((cell, repetition) for cell in round_)
    return order


def order_block(cells: int, repetition: int, seed: int) -> list[int]:
    """Return the order of the cells in one repetition of `interleave`."""
    return [cell for cell, _ in interleave(cells, repetition, seed)[-cells:]]

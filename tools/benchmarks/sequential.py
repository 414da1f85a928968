"""Simulate runs that continue until the ranking is certain: `make bench-sequential`.

Sets of frameworks with known ratios are measured in blocks, one trial of each per block in random
order, with a coefficient of variation of 3 % from trial to trial, in four kinds of noise. A run
ends when every pair is decided or equivalent, after 30 blocks at most.

A ranking is wrong if a pair is decided in the wrong order, if equal frameworks are decided, or if a
pair that differs by more than the margin is called equivalent. The peer is the fixed design: a
number of trials that is chosen before the ratios are known, ranked as Tacho ranks such runs. It
gets the smallest number with which as many rankings are complete and right, over all sets. For each
set, the table also shows the smallest number for this set alone, which only a user can choose who
knows the ratios. The last line is one JSON object.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from math import ceil, log
from statistics import fmean, median

import numpy as np

from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.measurement.statistics.comparison import (
    EQUIVALENCE_RATIO,
    Comparison,
    PairState,
    compare_pairs,
)
from backend.core.measurement.statistics.sequential import (
    Goal,
    GoalKind,
    PairStatement,
    SequentialState,
    judge,
)
from backend.core.results.ranking.ranks import adjust_for_all_pairs
from backend.core.units import Direction, Metric
from tools.benchmarks.measuring import print_result
from tools.benchmarks.noise import SPELL_POINTS, VARIATION, Model, draw

_SETS = (
    (1.0, 1.3),
    (1.0, 1.1),
    (1.0, 1.05),
    (1.0, 1.02),
    (1.0, 1.0),
    (1.0, 1.0, 1.3),
    (1.0, 1.05, 1.1, 1.3),
    (1.0, 1.0, 1.02, 1.05, 1.1, 1.3),
)
_MAX_BLOCKS = 30
# The largest fixed number of trials that is tried.
_MAX_FIXED = 60
# After a limit of so many blocks, the estimate of further blocks is tested, in steps.
_LIMIT = 10
_STEP = 5
_METRIC = Metric.CPU_US_PER_REQUEST
_GOAL = Goal(GoalKind.RANKED, _METRIC)
_GOALS = {"wrong_share": 0.05, "trials_to_fixed": 1.0}

Trials = list[list[float]]
"""For each framework its value in every block."""


@dataclass(frozen=True)
class RankingOutcome:
    """Whether all pairs have a statement, and whether any statement is wrong."""

    is_complete: bool
    is_wrong: bool

    @property
    def is_right(self) -> bool:
        """Return whether the ranking is complete and right."""
        return self.is_complete and not self.is_wrong


@dataclass(frozen=True)
class SimulatedRun:
    """A run by the sequential rule, and by every fixed number of trials from 2 on.

    Attributes:
        estimate: further blocks that were estimated after the limit; None if it was not reached
            at the limit, or if more blocks than were simulated are needed.
        is_estimate_enough: whether a run with these further blocks reaches the goal.
    """

    blocks: int
    outcome: RankingOutcome
    fixed: list[RankingOutcome]
    estimate: int | None
    is_estimate_enough: bool


@dataclass(frozen=True)
class SetRow:
    """A set of frameworks in one kind of noise.

    Attributes:
        wrong: share of runs with a wrong ranking.
        reached: share of runs that reached the goal.
        right: share of runs whose ranking is complete and right.
        trials: mean number of trials per framework.
        fixed_right, fixed_wrong: shares of the fixed design with 2, 3, … trials.
        estimates: further blocks estimated after the limit, and the share that was enough.
    """

    ratios: tuple[float, ...]
    wrong: float
    reached: float
    right: float
    trials: float
    fixed_right: list[float]
    fixed_wrong: list[float]
    estimate: float | None
    enough: float | None


@dataclass(frozen=True)
class ModelSummary:
    """All sets in one kind of noise. `fixed_trials` None: more than were tried."""

    wrong: float
    wrong_in_worst_set: float
    reached: float
    right: float
    trials: float
    fixed_trials: int | None
    fixed_wrong: float | None


def main() -> None:
    """Print the tables and the JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=500, help="runs per set and kind of noise")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="side by side")
    given = parser.parse_args()
    rows: dict[Model, list[SetRow]] = {}
    with ProcessPoolExecutor(given.processes) as pool:
        for model in Model:
            rows[model] = [_simulate_set(pool, model, ratios, given.series) for ratios in _SETS]
            _show_sets(model, rows[model])
    summaries = {model: _sum_up(found) for model, found in rows.items()}
    _show_summaries(summaries)
    judged = {
        "wrong_share": max(item.wrong for item in summaries.values()),
        "trials_to_fixed": max(
            item.trials / (item.fixed_trials or _MAX_FIXED) for item in summaries.values()
        ),
    }
    met = judged["wrong_share"] <= _GOALS["wrong_share"] and (
        judged["trials_to_fixed"] < _GOALS["trials_to_fixed"]
    )
    figures = {
        **judged,
        "runs_per_set": given.series,
        "models": {
            model: {**asdict(item), "sets": [_to_figures(row) for row in rows[model]]}
            for model, item in summaries.items()
        },
    }
    print_result("sequential", figures, _GOALS, met=met)


def _simulate_set(pool: Executor, model: Model, ratios: tuple[float, ...], count: int) -> SetRow:
    runs = list(pool.map(partial(_simulate, model, ratios), range(count), chunksize=10))
    sizes = range(len(runs[0].fixed))
    limited = [run for run in runs if run.estimate is not None]
    return SetRow(
        ratios=ratios,
        wrong=fmean(run.outcome.is_wrong for run in runs),
        reached=fmean(run.outcome.is_complete for run in runs),
        right=fmean(run.outcome.is_right for run in runs),
        trials=fmean(run.blocks for run in runs),
        fixed_right=[fmean(run.fixed[at].is_right for run in runs) for at in sizes],
        fixed_wrong=[fmean(run.fixed[at].is_wrong for run in runs) for at in sizes],
        estimate=median(run.estimate or 0 for run in limited) if limited else None,
        enough=fmean(run.is_estimate_enough for run in limited) if limited else None,
    )


def _simulate(model: Model, ratios: tuple[float, ...], seed: int) -> SimulatedRun:
    trials = _make_trials(model, ratios, seed)
    state = _continue(trials, _MAX_BLOCKS)
    limited = _continue(trials, _LIMIT)
    estimate = None if limited.is_reached else limited.blocks_needed
    total = _LIMIT + ceil((estimate or 0) / _STEP) * _STEP
    if total > _MAX_FIXED:
        estimate = None
    return SimulatedRun(
        blocks=state.blocks_done,
        outcome=_judge_statements({(p.first, p.second): p for p in state.pairs}, ratios),
        fixed=[_rank_fixed(trials, ratios, n) for n in range(2, _MAX_FIXED + 1)],
        estimate=estimate,
        is_estimate_enough=estimate is not None and _continue(trials, total).is_reached,
    )


def _make_trials(model: Model, ratios: Sequence[float], seed: int) -> Trials:
    """Return the trials of a run, in blocks whose order is random."""
    random = np.random.default_rng([seed, list(Model).index(model), len(ratios)])
    count = len(ratios) * _MAX_FIXED
    # A run begins anywhere in a spell of low or high variance.
    start = int(random.integers(2 * SPELL_POINTS))
    noise = VARIATION * draw(model, random, start + count)[start:]
    blocks = random.permuted(noise.reshape(_MAX_FIXED, len(ratios)), axis=1)
    trials: Trials = (np.exp(blocks) * np.array(ratios)).T.tolist()
    return trials


def _continue(trials: Trials, most: int) -> SequentialState:
    """Return the state in which a run ends."""
    for blocks in range(FIRST_LOOK, most):
        state = judge([values[:blocks] for values in trials], _GOAL, most)
        if state.is_reached:
            return state
    return judge([values[:most] for values in trials], _GOAL, most)


def _rank_fixed(trials: Trials, ratios: Sequence[float], n: int) -> RankingOutcome:
    """Return the outcome of ranking `n` trials of each framework, as for a run of that size."""
    pairs = list(combinations(range(len(trials)), 2))
    compared = {
        (first, second): compare_pairs(trials[first][:n], trials[second][:n], Direction.LOWER)
        for first, second in pairs
    }
    return _judge_statements(adjust_for_all_pairs(compared), ratios)


def _judge_statements(
    pairs: Mapping[tuple[int, int], Comparison | PairStatement], ratios: Sequence[float]
) -> RankingOutcome:
    return RankingOutcome(
        is_complete=all(found.state is not PairState.UNDECIDED for found in pairs.values()),
        is_wrong=any(
            _is_wrong(found, ratios[first] / ratios[second])
            for (first, second), found in pairs.items()
        ),
    )


def _is_wrong(found: Comparison | PairStatement, ratio: float) -> bool:
    """Return whether a statement is wrong, given the true ratio of first to second."""
    if found.state is PairState.EQUIVALENT:
        return abs(log(ratio)) > log(EQUIVALENCE_RATIO)
    if found.is_better is None:
        return False
    return ratio >= 1 if found.is_better else ratio <= 1


def _find_fixed(right: float, rows: Sequence[SetRow]) -> int | None:
    """Return the smallest fixed number of trials with which as many rankings are right."""
    for at in range(len(rows[0].fixed_right)):
        if fmean(row.fixed_right[at] for row in rows) >= right:
            return at + 2
    return None


def _sum_up(rows: Sequence[SetRow]) -> ModelSummary:
    right = fmean(row.right for row in rows)
    fixed = _find_fixed(right, rows)
    return ModelSummary(
        wrong=fmean(row.wrong for row in rows),
        wrong_in_worst_set=max(row.wrong for row in rows),
        reached=fmean(row.reached for row in rows),
        right=right,
        trials=fmean(row.trials for row in rows),
        fixed_trials=fixed,
        fixed_wrong=None if fixed is None else fmean(row.fixed_wrong[fixed - 2] for row in rows),
    )


def _to_figures(row: SetRow) -> dict[str, object]:
    fixed = _find_fixed(row.right, [row])
    return {
        "ratios": row.ratios,
        "wrong": row.wrong,
        "reached": row.reached,
        "right": row.right,
        "trials": row.trials,
        "fixed_trials": fixed,
        "fixed_wrong": None if fixed is None else row.fixed_wrong[fixed - 2],
        "estimate_after_limit": row.estimate,
        "estimate_enough": row.enough,
    }


def _show_sets(model: Model, rows: Sequence[SetRow]) -> None:
    print(
        f"\n{model:<28} {'wrong':>6} {'reached':>8} {'right':>6} {'trials':>7} "
        f"{'fixed':>6} {'wrong':>6} {f'after {_LIMIT}: more':>15} {'enough':>7}"
    )
    for row in rows:
        name = ", ".join(f"{ratio:.2f}" for ratio in row.ratios)
        fixed = _find_fixed(row.right, [row])
        wrong = "" if fixed is None else f"{row.fixed_wrong[fixed - 2]:.1%}"
        estimate = "" if row.estimate is None else f"{row.estimate:.0f}"
        enough = "" if row.enough is None else f"{row.enough:.0%}"
        print(
            f"{name:<28.28} {row.wrong:>6.1%} {row.reached:>8.0%} {row.right:>6.0%} "
            f"{row.trials:>7.1f} {_show_fixed(fixed):>6} {wrong:>6} {estimate:>15} {enough:>7}",
            flush=True,
        )


def _show_summaries(summaries: dict[Model, ModelSummary]) -> None:
    print(
        f"\n{'all sets':<20} {'wrong':>6} {'worst set':>10} {'reached':>8} {'right':>6} "
        f"{'trials':>7} {'fixed':>6} {'wrong':>6}"
    )
    for model, item in summaries.items():
        wrong = "" if item.fixed_wrong is None else f"{item.fixed_wrong:.1%}"
        print(
            f"{model:<20} {item.wrong:>6.2%} {item.wrong_in_worst_set:>10.1%} {item.reached:>8.0%} "
            f"{item.right:>6.0%} {item.trials:>7.1f} {_show_fixed(item.fixed_trials):>6} {wrong:>6}"
        )


def _show_fixed(fixed: int | None) -> str:
    return f">{_MAX_FIXED}" if fixed is None else str(fixed)


if __name__ == "__main__":
    main()

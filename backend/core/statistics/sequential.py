"""Decide after each block of trials whether a run has reached its goal; pure.

A block holds one trial of every result, in random order, so a drift of the machine affects the
results of a block alike. Two rules end a run:

- *ranked*: every pair of results is decided or equivalent. Pairs are compared by the differences of
  their logs within blocks. Their intervals are repeated confidence intervals (C. Jennison &
  B. W. Turnbull, 1989, "Interim Analyses: The Repeated Confidence Interval Approach", Journal of
  the Royal Statistical Society B 51), whose critical values come from boundaries.py. Over all
  pairs (Bonferroni) and all looks together, some interval misses its true ratio in at most 5 % of
  runs. A wrong statement requires such a miss.
- *precision*: the interval of every result is narrow enough. N. Starr (1966, "The Performance of a
  Sequential Procedure for the Fixed-Width Interval Estimation of the Mean", Annals of Mathematical
  Statistics 37) shows that stopping when an interval is narrow favours blocks that vary little by
  chance. A level of 97.5 % makes up for this: the stated range contains the true value of a result
  in at least 95 % of runs, for any variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import ceil, exp, inf, log, log1p, sqrt
from statistics import fmean

from backend.core.numeric import special
from backend.core.statistics.boundaries import FIRST_LOOK, find_boundaries
from backend.core.statistics.comparison import EQUIVALENCE_RATIO, Word, find_word
from backend.core.statistics.estimate import CONFIDENCE, deviation
from backend.core.units import METRICS, Aggregation, Direction, Metric

# With this level, stopping at a width covers the true value in 95 % of runs.
_PRECISION_CONFIDENCE = 0.975
# The estimate of missing blocks reaches the goal with this probability.
_WANTED_POWER = 0.8


class GoalKind(StrEnum):
    """What a run that continues until it is certain has to find out."""

    RANKED = "ranked"
    PRECISION = "precision"


@dataclass(frozen=True)
class Goal:
    """The goal of a run in one metric; `precision_percent` only for PRECISION."""

    kind: GoalKind
    metric: Metric
    precision_percent: float | None = None


@dataclass(frozen=True)
class PairStatement:
    """What is known about two results, given by their positions.

    Attributes:
        ratio: first divided by second.
        low, high: the repeated confidence interval of the ratio, which holds for all pairs and all
            looks together. None before the first look.
        word: of the first compared with the second. INCONCLUSIVE is undecided.
    """

    first: int
    second: int
    ratio: float
    low: float | None
    high: float | None
    word: Word


@dataclass(frozen=True)
class ResultPrecision:
    """The centre of one result and its interval, which are None with fewer than two blocks.

    `half_width_percent` is the half-width of the interval relative to the centre.
    """

    centre: float
    low: float | None
    high: float | None
    half_width_percent: float | None
    is_reached: bool


@dataclass(frozen=True)
class SequentialState:
    """What a run has found out after a number of complete blocks.

    Attributes:
        is_reached: whether the goal is reached, so that the run may end.
        blocks_done: number of complete blocks.
        blocks_needed: estimated number of further blocks until the goal is reached, which is
            sufficient in four of five cases. 0 if it is reached, None if there is no estimate.
        margin_ratio: results are equivalent if they differ by at most this factor.
        pairs: every pair of results that can be tested. Empty for PRECISION.
        precisions: every result, for PRECISION; else empty.
        untestable: positions of results with a value that is not positive, which have no rank.
            They do not prevent the goal.
    """

    is_reached: bool
    blocks_done: int
    blocks_needed: int | None
    margin_ratio: float
    pairs: tuple[PairStatement, ...] = ()
    precisions: tuple[ResultPrecision, ...] = ()
    untestable: tuple[int, ...] = ()


def judge(
    values: Sequence[Sequence[float]],
    goal: Goal,
    max_blocks: int,
    detectable_ratio: float = 1.0,
) -> SequentialState:
    """Return what complete blocks show, and whether the goal is reached.

    Args:
        values: for each result, its value in every complete block, in the order of time.
        max_blocks: the largest number of blocks, fixed before the first.
        detectable_ratio: the difference that the host can detect. It widens the margin of
            equivalence.

    Raises:
        ValueError: results have different numbers of blocks, or the goal has no precision.
    """
    blocks = len(values[0]) if values else 0
    if any(len(item) != blocks for item in values):
        raise ValueError("every result needs one value per block")
    margin_ratio = max(EQUIVALENCE_RATIO, detectable_ratio)
    if goal.kind is GoalKind.RANKED:
        direction = METRICS[goal.metric].direction
        return _judge_ranking(values, blocks, direction, max_blocks, margin_ratio)
    if goal.precision_percent is None:
        raise ValueError("a goal of precision needs a percentage")
    aggregation = METRICS[goal.metric].aggregation
    return _judge_precision(values, blocks, aggregation, goal.precision_percent, margin_ratio)


def _judge_ranking(
    values: Sequence[Sequence[float]],
    blocks: int,
    direction: Direction,
    max_blocks: int,
    margin_ratio: float,
) -> SequentialState:
    untestable = tuple(at for at, item in enumerate(values) if min(item, default=1.0) <= 0)
    testable = [at for at in range(len(values)) if at not in untestable]
    places = list(combinations(testable, 2))
    if not places or not blocks:
        return SequentialState(False, blocks, None, margin_ratio, untestable=untestable)
    error_rate = (1 - CONFIDENCE) / len(places)
    boundaries = find_boundaries(error_rate, max(max_blocks, blocks, FIRST_LOOK))
    pairs, needed = [], [0]
    for first, second in places:
        differences = [log(a) - log(b) for a, b in zip(values[first], values[second], strict=True)]
        low, high = _repeated_interval(differences, boundaries)
        word = Word.INCONCLUSIVE
        if low is not None and high is not None:
            word = find_word(low, high, direction, margin_ratio)
        if word is Word.INCONCLUSIVE:
            needed.append(_estimate_blocks(differences, boundaries[-1], log(margin_ratio)))
        pairs.append(PairStatement(first, second, exp(fmean(differences)), low, high, word))
    is_reached = all(pair.word is not Word.INCONCLUSIVE for pair in pairs)
    further = None if blocks < 2 else max(needed)
    return SequentialState(
        is_reached, blocks, further, margin_ratio, tuple(pairs), untestable=untestable
    )


def _repeated_interval(
    differences: Sequence[float], boundaries: Sequence[float]
) -> tuple[float | None, float | None]:
    """Return the intersection of the intervals of all looks so far, as ratios.

    If the mean lies outside it, the data contradict the assumptions. Then it is the last interval
    alone, which holds as well because it contains the intersection.
    """
    low, high = -inf, inf
    last = (-inf, inf)
    for n, boundary in enumerate(boundaries[: len(differences) - FIRST_LOOK + 1], FIRST_LOOK):
        seen = differences[:n]
        half_width = boundary * deviation(seen) / sqrt(n)
        last = (fmean(seen) - half_width, fmean(seen) + half_width)
        low, high = max(low, last[0]), min(high, last[1])
    if len(differences) < FIRST_LOOK:
        return None, None
    if not low <= fmean(differences) <= high:
        low, high = last
    return exp(low), exp(high)


def _estimate_blocks(differences: Sequence[float], boundary: float, margin: float) -> int:
    """Return how many further blocks an undecided pair needs.

    Either its difference becomes significant or equivalence is shown, whichever comes first.
    """
    done = len(differences)
    if done < 2:
        return 1
    centre = abs(fmean(differences))
    distance = max(centre, margin - centre)
    power = float(special.ndtri(_WANTED_POWER))
    total = ((boundary + power) * deviation(differences) / distance) ** 2
    return max(1, ceil(total) - done)


def _judge_precision(
    values: Sequence[Sequence[float]],
    blocks: int,
    aggregation: Aggregation,
    percent: float,
    margin_ratio: float,
) -> SequentialState:
    found = [_measure_precision(item, aggregation, percent) for item in values if item]
    is_reached = bool(found) and all(item.is_reached for item in found)
    further: int | None = 0
    if not is_reached:
        widths = [item.half_width_percent for item in found if not item.is_reached]
        known = [width for width in widths if width is not None]
        further = None
        if known and len(known) == len(widths):
            further = max(1, ceil(blocks * (max(known) / percent) ** 2) - blocks)
    return SequentialState(is_reached, blocks, further, margin_ratio, precisions=tuple(found))


def _measure_precision(
    values: Sequence[float], aggregation: Aggregation, percent: float
) -> ResultPrecision:
    is_log = aggregation is Aggregation.GEOMETRIC and min(values) > 0
    scaled = [log(value) for value in values] if is_log else list(values)
    centre, n = fmean(scaled), len(scaled)
    if n < 2:
        return ResultPrecision(exp(centre) if is_log else centre, None, None, None, False)
    quantile = float(special.stdtrit(n - 1, 0.5 + _PRECISION_CONFIDENCE / 2))
    half = quantile * deviation(scaled) / sqrt(n)
    relative: float | None
    if is_log:
        width, limit = half, log1p(percent / 100)
        low, high, shown = exp(centre - half), exp(centre + half), exp(centre)
        relative = 100 * (exp(half) - 1)
    else:
        width, limit = half, abs(centre) * percent / 100
        low, high, shown = centre - half, centre + half, centre
        relative = 100 * half / abs(centre) if centre else None
    return ResultPrecision(shown, low, high, relative, n >= FIRST_LOOK and width <= limit)

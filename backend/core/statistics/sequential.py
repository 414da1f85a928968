"""Decide after each block of trials whether a run has reached its goal; pure.

A block holds one trial of every result, in random order, so that a drift of the machine affects the
results of a block alike. The goal of precision is in precision.py.

A run is ranked when every pair of results is decided or equivalent. The differences of a pair's
logs within blocks are tested after every block from the third on, with critical values for repeated
tests (boundaries.py). Inverting these tests gives repeated confidence intervals (C. Jennison &
B. W. Turnbull, 1989, "Interim Analyses: The Repeated Confidence Interval Approach", Journal of the
Royal Statistical Society B 51). A pair is decided if its interval at an error rate of 4 % excludes
1. It is equivalent if its interval at 6 %, 3 % on each side, lies within the margin (two one-sided
tests: D. J. Schuirmann, 1987). Both rates are divided by the number of pairs (Bonferroni). So in at
most 5 % of runs a statement about some pair is wrong at any time:

- Equal results are decided in at most 4 %.
- Results that differ by less than the margin are decided in the wrong order in at most 2 %.
- Results that differ by more are decided in the wrong order in at most 2 %, or declared equivalent
  in at most 3 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp, log

from backend.core.numeric import Floats, np, special
from backend.core.statistics.boundaries import FIRST_LOOK, find_boundaries
from backend.core.statistics.comparison import EQUIVALENCE_RATIO, Word, find_word
from backend.core.statistics.precision import ResultPrecision, measure_precision
from backend.core.units import METRICS, Direction, Metric

# Error rates of all pairs together. Half of the first and half of the second are 5 %.
_DECISION_ERROR_RATE = 0.04
_EQUIVALENCE_ERROR_RATE = 0.06
# Large differences are visible after few blocks. Equivalence needs many blocks, so most of its
# error rate is spent on them.
_DECISION_SPENDING = 0.75
_EQUIVALENCE_SPENDING = 2.0
# Probability with which the estimated number of further blocks is sufficient.
_WANTED_POWER = 0.8
# Beyond this, exp() overflows.
_LARGEST_LOG = 700.0


class GoalKind(StrEnum):
    """The kind of goal that ends a run."""

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
    """The ratio of two results, given by their positions, and their order if it is decided.

    Attributes:
        ratio: first divided by second.
        low, high: the repeated confidence interval from which the word follows. None before the
            third block.
        word: of the first compared with the second. INCONCLUSIVE is undecided.
    """

    first: int
    second: int
    ratio: float
    low: float | None
    high: float | None
    word: Word


@dataclass(frozen=True)
class SequentialState:
    """The answer of a run after a number of complete blocks.

    Attributes:
        is_reached: whether the goal is reached, so that the run may end.
        blocks_done: number of complete blocks.
        blocks_needed: estimated number of further blocks until the goal is reached. 0 if it is
            reached, None if there is no estimate.
        margin_ratio: equivalent results differ by at most this factor.
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
    instrument_ratio: float = 1.0,
) -> SequentialState:
    """Return what complete blocks show, and whether the goal is reached.

    Args:
        values: for each result, its value in every complete block, in the order of time.
        max_blocks: the largest number of blocks. The error rate holds if it was fixed before the
            first block.
        detectable_ratio: the difference that the host can detect. It widens the margin of
            equivalence.
        instrument_ratio: the factor by which the instrument may be wrong about a ratio, 1 or more.
            It widens the interval of every pair, as in comparison.py.

    Raises:
        ValueError: results have different numbers of blocks, or the goal has no precision.
    """
    blocks = len(values[0]) if values else 0
    if any(len(item) != blocks for item in values):
        raise ValueError("every result needs one value per block")
    margin_ratio = max(EQUIVALENCE_RATIO, detectable_ratio)
    info = METRICS[goal.metric]
    if goal.kind is GoalKind.RANKED:
        criteria = _Criteria(info.direction, margin_ratio, log(instrument_ratio))
        return _judge_ranking(values, blocks, max(max_blocks, blocks, FIRST_LOOK), criteria)
    if goal.precision_percent is None:
        raise ValueError("a goal of precision needs a percentage")
    found = [
        measure_precision(item, info.aggregation, goal.precision_percent)
        for item in values
        if blocks
    ]
    needed = [item.blocks_needed for item in found]
    known = [count for count in needed if count is not None]
    return SequentialState(
        bool(found) and all(item.is_reached for item in found),
        blocks,
        max(known) if known and len(known) == len(needed) else None,
        margin_ratio,
        precisions=tuple(found),
    )


@dataclass(frozen=True)
class _Criteria:
    """The criteria for the word of a pair. `bias` is the error of the instrument as a log."""

    direction: Direction
    margin_ratio: float
    bias: float


def _judge_ranking(
    values: Sequence[Sequence[float]], blocks: int, last: int, criteria: _Criteria
) -> SequentialState:
    margin_ratio = criteria.margin_ratio
    untestable = tuple(at for at, item in enumerate(values) if min(item, default=1.0) <= 0)
    testable = np.array([at for at in range(len(values)) if at not in untestable])
    if len(testable) < 2 or not blocks:
        return SequentialState(False, blocks, None, margin_ratio, untestable=untestable)
    firsts, seconds = np.triu_indices(len(testable), 1)
    logs = np.log(np.array([values[at] for at in testable], dtype=np.float64))
    differences = logs[firsts] - logs[seconds]
    count = len(differences)
    deciding = find_boundaries(_DECISION_ERROR_RATE / count, last, _DECISION_SPENDING)
    equating = find_boundaries(_EQUIVALENCE_ERROR_RATE / count, last, _EQUIVALENCE_SPENDING)
    decisions = _repeat_intervals(differences, deciding, criteria.bias)
    equivalences = _repeat_intervals(differences, equating, criteria.bias)
    pairs = tuple(
        PairStatement(
            int(testable[firsts[row]]),
            int(testable[seconds[row]]),
            exp(differences[row].mean()),
            *_state(decisions[row], equivalences[row], criteria),
        )
        for row in range(count)
    )
    undecided = [row for row, pair in enumerate(pairs) if pair.word is Word.INCONCLUSIVE]
    critical = deciding[-1], equating[-1]
    needed = [_estimate_blocks(differences[row], critical, criteria) for row in undecided]
    known = [further for further in needed if further is not None]
    return SequentialState(
        is_reached=not undecided,
        blocks_done=blocks,
        blocks_needed=max(known, default=0) if len(known) == len(needed) else None,
        margin_ratio=margin_ratio,
        pairs=pairs,
        untestable=untestable,
    )


def _repeat_intervals(
    differences: Floats, boundaries: Sequence[float], bias: float
) -> list[tuple[float, float] | None]:
    """Return for each pair the intersection of the intervals after every block, as ratios.

    If a mean lies outside it, the data contradict the assumptions. Then it is the last interval
    alone, which holds as well because it contains the intersection. None before the third block.
    The bias has an unknown sign, so it is added on both sides.
    """
    blocks = differences.shape[1]
    if blocks < FIRST_LOOK:
        return [None] * len(differences)
    counts = np.arange(1, blocks + 1)
    # Relative to the first value, so that equal differences have a variance of exactly 0.
    origin = differences[:, :1]
    means = np.cumsum(differences - origin, axis=1) / counts
    squares = np.cumsum((differences - origin) ** 2, axis=1) - counts * means**2
    n = counts[FIRST_LOOK - 1 :]
    errors = np.sqrt(np.maximum(squares[:, FIRST_LOOK - 1 :], 0.0) / (n - 1) / n)
    half_widths = np.array(boundaries[: len(n)]) * errors
    centres = (means + origin)[:, FIRST_LOOK - 1 :]
    lows, highs = centres - half_widths, centres + half_widths
    low, high = lows.max(axis=1), highs.min(axis=1)
    is_held = (low <= centres[:, -1]) & (centres[:, -1] <= high)
    low, high = np.where(is_held, [low, high], [lows[:, -1], highs[:, -1]])
    edges = np.clip([low - bias, high + bias], -_LARGEST_LOG, _LARGEST_LOG)
    return list(zip(*np.exp(edges).tolist(), strict=True))


def _state(
    decision: tuple[float, float] | None,
    equivalence: tuple[float, float] | None,
    criteria: _Criteria,
) -> tuple[float | None, float | None, Word]:
    """Return the interval of a pair and its word."""
    if decision is None or equivalence is None:
        return None, None, Word.INCONCLUSIVE
    word = find_word(*equivalence, criteria.direction, criteria.margin_ratio)
    if word is Word.EQUIVALENT:
        return *equivalence, word
    return *decision, find_word(*decision, criteria.direction, margin_ratio=1.0)


def _estimate_blocks(
    differences: Floats, critical: tuple[float, float], criteria: _Criteria
) -> int | None:
    """Return how many further blocks an undecided pair needs; None if that is unknown.

    By then either its difference is significant or equivalence is shown, whichever comes first.
    With a large error of the instrument, no number of blocks may be enough.

    Args:
        critical: the last critical values for a decision and for equivalence.
    """
    if len(differences) < 2:
        return None
    centre = abs(float(differences.mean()))
    power = float(special.ndtri(_WANTED_POWER))
    deciding, equating = critical
    # The larger distance per critical value needs fewer blocks.
    strength = max(
        (centre - criteria.bias) / (deciding + power),
        (log(criteria.margin_ratio) - centre - criteria.bias) / (equating + power),
    )
    if strength <= 0:
        return None
    total = (float(differences.std(ddof=1)) / strength) ** 2
    return max(1, ceil(total) - len(differences))

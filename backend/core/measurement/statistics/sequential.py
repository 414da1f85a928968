"""Decide after each block of trials whether a run has reached its goal; pure.

A block holds one trial of every result, in random order, so that a drift of the machine affects the
results of a block alike. The goal of precision is in precision.py.

A run is ranked when every pair of results is decided or equivalent. The differences of a pair's
logs within blocks are tested after every block from the third on, with critical values for repeated
tests (boundaries.py). Inverting these tests gives repeated confidence intervals (C. Jennison &
B. W. Turnbull, 1989, "Interim Analyses: The Repeated Confidence Interval Approach", Journal of the
Royal Statistical Society B 51). A pair is decided if its interval at an error rate of 4 % excludes
1, and the host can detect its difference. It is equivalent if its interval at 6 %, 3 % on each
side, lies within the margin (two one-sided tests: D. J. Schuirmann, 1987). Both rates are divided
by the number of pairs (Bonferroni). So in at most 5 % of runs a statement about some pair is wrong
at any time:

- Equal results are decided in at most 4 %.
- Results that differ by less than the margin are decided in the wrong order in at most 2 %.
- Results that differ by more are decided in the wrong order in at most 2 %, or declared equivalent
  in at most 3 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, exp

from backend.core.measurement.statistics.boundaries import FIRST_LOOK, find_boundaries
from backend.core.measurement.statistics.comparison import EXACT, Criteria, Instrument, PairState
from backend.core.measurement.statistics.precision import ResultPrecision, measure_precision
from backend.core.numeric import Floats, np
from backend.core.units import METRICS, Metric, MetricInfo

# Error rates of all pairs together. Half of the first and half of the second are 5 %.
_DECISION_ERROR_RATE = 0.04
_EQUIVALENCE_ERROR_RATE = 0.06
# Large differences are visible after few blocks. Equivalence needs many blocks, so most of its
# error rate is spent on them.
_DECISION_SPENDING = 0.75
_EQUIVALENCE_SPENDING = 2.0
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
        ratio: first divided by second; None for shares.
        low, high: the repeated confidence interval from which the state follows. None before the
            third block.
        is_better: whether the first is better; None unless the state is a difference.
        difference: first minus second, for shares only.
        blocks_needed: the number of blocks with which an undecided pair is probably decided; None
            if there is no such number.
    """

    first: int
    second: int
    ratio: float | None
    low: float | None
    high: float | None
    state: PairState
    is_better: bool | None
    difference: float | None = None
    blocks_needed: int | None = None


@dataclass(frozen=True)
class SequentialState:
    """The answer of a run after a number of complete blocks.

    Attributes:
        is_reached: whether the goal is reached, so that the run may end.
        blocks_done: number of complete blocks.
        blocks_needed: estimated number of further blocks until the goal is reached. 0 if it is
            reached, None if there is no estimate.
        margin_ratio: equivalent results differ by at most this factor. Shares have a margin of
            their own.
        pairs: every pair of results that can be tested. Empty for PRECISION.
        precisions: every result, for PRECISION; else empty.
        untestable: positions of results with a value that is not positive and so has no ratio.
            They have no rank and do not prevent the goal.
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
    instrument: Instrument = EXACT,
) -> SequentialState:
    """Return what complete blocks show, and whether the goal is reached.

    Args:
        values: for each result, its value in every complete block, in the order of time.
        max_blocks: the largest number of blocks. The error rate holds if it was fixed before the
            first block.
        instrument: its error widens the interval of every pair, as in comparison.py. The ratio
            that the host can detect widens the margin of equivalence, and no smaller ratio is
            decided.

    Raises:
        ValueError: results have different numbers of blocks, or the goal has no precision.
    """
    blocks = len(values[0]) if values else 0
    if any(len(item) != blocks for item in values):
        raise ValueError("every result needs one value per block")
    info = METRICS[goal.metric]
    if goal.kind is GoalKind.RANKED:
        rule = _PairRule.of_shares(info) if info.is_share else _PairRule.of_ratios(info, instrument)
        return _judge_ranking(values, max(max_blocks, blocks, FIRST_LOOK), rule)
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
        instrument.margin_ratio,
        precisions=tuple(found),
    )


@dataclass(frozen=True)
class _PairRule:
    """How pairs are compared: by differences of logs, or by differences of shares."""

    criteria: Criteria
    margin_ratio: float
    is_share: bool

    @classmethod
    def of_ratios(cls, info: MetricInfo, instrument: Instrument) -> _PairRule:
        criteria = Criteria.of_ratios(info.direction, instrument)
        return cls(criteria, instrument.margin_ratio, is_share=False)

    @classmethod
    def of_shares(cls, info: MetricInfo) -> _PairRule:
        return cls(Criteria.of_shares(info.direction), EXACT.margin_ratio, is_share=True)

    def is_testable(self, values: Sequence[float]) -> bool:
        """Return whether a result can be compared: a value that is not positive has no log."""
        return self.is_share or min(values, default=1.0) > 0

    def scale(self, values: Sequence[Sequence[float]]) -> Floats:
        """Return the values on the scale on which differences are tested."""
        found = np.array(values, dtype=np.float64)
        return found if self.is_share else np.log(found)

    def describe(
        self,
        positions: tuple[int, int],
        centre: float,
        intervals: tuple[tuple[float, float] | None, tuple[float, float] | None],
    ) -> PairStatement:
        """Return the statement about a pair.

        Args:
            centre: the mean difference.
            intervals: of the difference, for a decision and for equivalence.
        """
        decision, equivalence = intervals
        state, low, high = PairState.UNDECIDED, None, None
        if decision is not None and equivalence is not None:
            state, bounds = self.criteria.decide(centre, decision, equivalence)
            low, high = self._restore(bounds[0]), self._restore(bounds[1])
        return PairStatement(
            *positions,
            ratio=None if self.is_share else exp(centre),
            low=low,
            high=high,
            state=state,
            is_better=self.criteria.is_better(centre) if state is PairState.DIFFERENCE else None,
            difference=centre if self.is_share else None,
        )

    def _restore(self, difference: float) -> float:
        """Return a bound of an interval as a ratio, or as a difference of shares."""
        if self.is_share:
            return min(max(difference, -1.0), 1.0)
        return exp(min(max(difference, -_LARGEST_LOG), _LARGEST_LOG))


def _judge_ranking(
    values: Sequence[Sequence[float]], last: int, rule: _PairRule
) -> SequentialState:
    blocks, margin_ratio = len(values[0]) if values else 0, rule.margin_ratio
    untestable = tuple(at for at, item in enumerate(values) if not rule.is_testable(item))
    testable = np.array([at for at in range(len(values)) if at not in untestable])
    if len(testable) < 2 or not blocks:
        needed_blocks = FIRST_LOOK if len(testable) > 1 else None
        return SequentialState(False, blocks, needed_blocks, margin_ratio, untestable=untestable)
    firsts, seconds = np.triu_indices(len(testable), 1)
    scaled = rule.scale([values[at] for at in testable])
    differences = scaled[firsts] - scaled[seconds]
    count = len(differences)
    deciding = find_boundaries(_DECISION_ERROR_RATE / count, last, _DECISION_SPENDING)
    equating = find_boundaries(_EQUIVALENCE_ERROR_RATE / count, last, _EQUIVALENCE_SPENDING)
    decisions = repeat_intervals(differences, deciding, rule.criteria.bias)
    equivalences = repeat_intervals(differences, equating, rule.criteria.bias)
    critical = deciding[-1], equating[-1]
    pairs = []
    for row in range(count):
        positions = int(testable[firsts[row]]), int(testable[seconds[row]])
        centre = float(differences[row].mean())
        pair = rule.describe(positions, centre, (decisions[row], equivalences[row]))
        if pair.state is PairState.UNDECIDED:
            total = _estimate_blocks(differences[row], critical, rule.criteria)
            pair = replace(pair, blocks_needed=total)
        pairs.append(pair)
    needed = [pair.blocks_needed for pair in pairs if pair.state is PairState.UNDECIDED]
    known = [total for total in needed if total is not None]
    return SequentialState(
        is_reached=not needed,
        blocks_done=blocks,
        blocks_needed=(max(known, default=blocks) - blocks if len(known) == len(needed) else None),
        margin_ratio=margin_ratio,
        pairs=tuple(pairs),
        untestable=untestable,
    )


def repeat_intervals(
    differences: Floats, boundaries: Sequence[float], bias: float
) -> list[tuple[float, float] | None]:
    """Return for each pair the intersection of the intervals after every block.

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
    return list(zip((low - bias).tolist(), (high + bias).tolist(), strict=True))


def _estimate_blocks(
    differences: Floats, critical: tuple[float, float], criteria: Criteria
) -> int | None:
    """Return the number of blocks that an undecided pair needs; None if no number is enough.

    By then either its difference is significant or equivalence is shown, whichever comes first.
    With a large error of the instrument, or a difference close to the margin, no number of blocks
    may be enough. Before the third block, it is three.

    Args:
        critical: the last critical values for a decision and for equivalence.
    """
    blocks = len(differences)
    if blocks < FIRST_LOOK:
        return FIRST_LOOK
    needed_error = criteria.find_needed_error(float(differences.mean()), *critical)
    if needed_error is None:
        return None
    total = (float(differences.std(ddof=1)) / needed_error) ** 2
    return max(blocks + 1, ceil(total))

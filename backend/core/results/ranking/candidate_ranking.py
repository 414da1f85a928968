"""Rank results by one metric: ranks, and ratios to a baseline; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import combinations
from uuid import UUID

from backend.core.measurement.statistics.comparison import EXACT, Instrument, PairState
from backend.core.measurement.statistics.estimate import Estimate
from backend.core.measurement.statistics.rates import RateBounds
from backend.core.results.cell_result import CellResult, Values
from backend.core.results.ranking.pairs import Ratio, compare_steps, compare_values
from backend.core.results.ranking.ranks import Rank, adjust_for_all_pairs, rank_by_pairs
from backend.core.results.ranking.sequential_pairs import SequentialPairs
from backend.core.units import METRICS, Direction, Metric


class Eligibility(IntEnum):
    """Whether a candidate gets a rank, and why not. Lists show candidates in this order.

    NOT_TESTABLE: it has fewer than three trials and so no interval, or a value that is not positive
    and so no ratio.
    """

    ELIGIBLE = 0
    NOT_TESTABLE = 1
    EXCLUDED = 2
    WITHOUT_VALUE = 3


@dataclass(frozen=True)
class Candidate:
    """A result by one metric.

    Attributes:
        name: shown in sentences.
        estimate: None if no trial has a value.
        values: repetition to value.
        run_id: equal repetitions of the same run are compared as pairs.
        excluded_by: the verdicts that exclude it from ranking, as words.
        trials_failed: number of failed trials.
        instrument: what is known about the errors of the host and its load generator in the
            metric.
        is_share: whether the metric is a share, which is compared in percentage points.
        rates: if the metric is the sustained rate, its bounds, by which it is compared.
    """

    name: str
    estimate: Estimate | None
    values: Values
    run_id: UUID | None = None
    excluded_by: Sequence[str] = ()
    trials_failed: int = 0
    instrument: Instrument = EXACT
    is_share: bool = False
    rates: RateBounds | None = None

    @property
    def lacks_interval(self) -> bool:
        """Return whether its estimate has no interval because it has fewer than three trials."""
        return self.estimate is not None and self.estimate.low is None

    @property
    def eligibility(self) -> Eligibility:
        """Return whether it gets a rank."""
        if self.estimate is None:
            return Eligibility.WITHOUT_VALUE
        if self.excluded_by:
            return Eligibility.EXCLUDED
        if self.lacks_interval or not self.values:
            return Eligibility.NOT_TESTABLE
        has_ratio = self.is_share or self.rates is not None or min(self.values.values()) > 0
        if not has_ratio:
            return Eligibility.NOT_TESTABLE
        return Eligibility.ELIGIBLE


def make_candidate(result: CellResult, metric: Metric, name: str) -> Candidate:
    """Return a result by one metric.

    Args:
        name: shown in sentences.
    """
    return Candidate(
        name,
        estimate=result.estimates.get(metric),
        values=result.values.get(metric, {}),
        run_id=result.summary.run_id,
        excluded_by=result.list_exclusions(metric),
        instrument=result.instrument.describe(metric, result.kind),
        is_share=METRICS[metric].is_share,
        rates=result.rates if metric is Metric.SUSTAINED_RPS else None,
    )


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate with its rank, which is None unless it and another candidate are eligible.

    Attributes:
        equivalent: positions, among all candidates, of those that it is equivalent to.
        undecided: positions of those from which it cannot be told apart yet.
        ratio: to the baseline; None for the baseline itself, for a bound, and where there is no
            ratio. If both are eligible, its interval and state allow for the number of pairs, like
            the ranks.
    """

    candidate: Candidate
    rank: int | None
    equivalent: tuple[int, ...]
    undecided: tuple[int, ...]
    ratio: Ratio | None

    @property
    def state(self) -> PairState:
        """Return what is known about it and the baseline, which differs from it."""
        return self.ratio.comparison.state if self.ratio else PairState.NOT_COMPARABLE


@dataclass(frozen=True)
class CandidateRanking:
    """Ranked candidates, in the order in which they were passed.

    Attributes:
        order: positions by eligibility, then rank, then estimate.
        baseline: position of the candidate that ratios refer to. None if no candidate can be it.
        is_sequential: whether the number of trials depended on the results.
        instrument: the largest errors of the host and its load generator that apply to any of the
            eligible candidates.
    """

    candidates: Sequence[RankedCandidate]
    order: Sequence[int]
    baseline: int | None
    is_sequential: bool = False
    instrument: Instrument = EXACT

    @property
    def detectable_ratio(self) -> float:
        """Return the smallest ratio that the host can detect; 1 if it is not calibrated."""
        return self.instrument.detectable_ratio

    @property
    def margin_ratio(self) -> float:
        """Return the margin within which results are equivalent: 1.03 means ±3 %."""
        return self.instrument.margin_ratio


def rank_candidates(
    candidates: Sequence[Candidate],
    direction: Direction,
    baseline: int | None = None,
    sequential: SequentialPairs | None = None,
) -> CandidateRanking:
    """Return the ranks of results that were measured under the same conditions.

    Runs, leaderboards and pictures all rank with this function. Candidates that cannot be tested
    have no rank and do not count in the correction for multiple tests.

    Args:
        baseline: position of the candidate that ratios refer to. Default: the best estimate of the
            eligible candidates, else of those that are not testable.
        sequential: all pairs of eligible candidates, if the number of trials depended on them.
    """
    sign = -1 if direction is Direction.HIGHER else 1
    positions = range(len(candidates))
    best_first = sorted(positions, key=lambda position: _sort_key(candidates[position], sign))
    eligible = [
        position
        for position in best_first
        if candidates[position].eligibility is Eligibility.ELIGIBLE
    ]
    pairs = sequential or _compare_eligible(candidates, eligible, direction)
    ranks = _find_ranks(pairs, eligible)
    unranked = best_first[len(eligible) :]
    if ranks:
        eligible.sort(key=lambda position: ranks[position].rank)
    if baseline is None:
        baseline = next(
            (
                position
                for position in best_first
                if candidates[position].eligibility <= Eligibility.NOT_TESTABLE
            ),
            None,
        )
    return CandidateRanking(
        [
            _to_ranked(candidates, position, baseline, ranks.get(position), direction, pairs)
            for position in positions
        ],
        [*eligible, *unranked],
        baseline,
        is_sequential=sequential is not None,
        instrument=_combine([candidates[position] for position in eligible]),
    )


def _sort_key(candidate: Candidate, sign: int) -> tuple[int, float]:
    estimate = candidate.estimate.estimate if candidate.estimate else 0.0
    return candidate.eligibility, sign * estimate


def _combine(candidates: Sequence[Candidate]) -> Instrument:
    found = EXACT
    for candidate in candidates:
        found = found.combine(candidate.instrument)
    return found


@dataclass(frozen=True)
class _AdjustedPairs:
    """All pairs of the eligible candidates by positions, with intervals for all pairs together."""

    ratios: Mapping[tuple[int, int], Ratio]

    def find_ratio(self, first: int, second: int) -> Ratio | None:
        """Return the ratio of first to second; None if they are not both eligible."""
        if (first, second) in self.ratios:
            return self.ratios[first, second]
        found = self.ratios.get((second, first))
        return found and replace(found, comparison=found.comparison.invert())


def _compare_eligible(
    candidates: Sequence[Candidate], eligible: Sequence[int], direction: Direction
) -> _AdjustedPairs:
    ratios: dict[tuple[int, int], Ratio] = {}
    for first, second in combinations(eligible, 2):
        ratio = _compare(candidates[first], candidates[second], direction)
        assert ratio is not None  # All values of eligible candidates have a ratio, or are shares.
        ratios[first, second] = ratio
    adjusted = adjust_for_all_pairs({pair: found.comparison for pair, found in ratios.items()})
    return _AdjustedPairs(
        {pair: replace(found, comparison=adjusted[pair]) for pair, found in ratios.items()}
    )


def _find_ranks(
    pairs: _AdjustedPairs | SequentialPairs, eligible: Sequence[int]
) -> dict[int, Rank]:
    """Return ranks by position, which refer to positions too. A single result has no rank."""
    if len(eligible) < 2:
        return {}
    compared = {}
    for first, second in combinations(range(len(eligible)), 2):
        ratio = pairs.find_ratio(eligible[first], eligible[second])
        # Before the first complete block, a run with a goal has compared nothing.
        compared[first, second] = ratio.comparison if ratio else None
    return {
        position: Rank(
            rank.rank,
            tuple(eligible[other] for other in rank.equivalent),
            tuple(eligible[other] for other in rank.undecided),
        )
        for position, rank in zip(eligible, rank_by_pairs(len(eligible), compared), strict=True)
    }


def _to_ranked(
    candidates: Sequence[Candidate],
    position: int,
    baseline: int | None,
    rank: Rank | None,
    direction: Direction,
    pairs: _AdjustedPairs | SequentialPairs,
) -> RankedCandidate:
    candidate = candidates[position]
    ratio = None
    if baseline is not None and baseline != position:
        other = candidates[baseline]
        ratio = pairs.find_ratio(position, baseline) or _compare(candidate, other, direction)
        if ratio is not None and (candidate.excluded_by or other.excluded_by):
            ratio = ratio.as_not_comparable()
    return RankedCandidate(
        candidate,
        rank.rank if rank else None,
        rank.equivalent if rank else (),
        rank.undecided if rank else (),
        ratio,
    )


def _compare(first: Candidate, second: Candidate, direction: Direction) -> Ratio | None:
    if first.rates is not None and second.rates is not None:
        return compare_steps(first.rates, second.rates)
    is_bound = any(side.estimate and side.estimate.is_bound for side in (first, second))
    if is_bound or not first.values or not second.values:
        return None
    return compare_values(
        first.values,
        second.values,
        direction,
        interleaved=first.run_id == second.run_id,
        instrument=first.instrument.combine(second.instrument),
        is_share=first.is_share,
    )

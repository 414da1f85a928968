"""Rank results by one metric: ranks, ties and ratios to a baseline; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations
from uuid import UUID

from backend.core.ranking.pairs import Ratio, compare_values
from backend.core.ranking.sequential_pairs import SequentialPairs
from backend.core.ranking.tie_groups import (
    Rank,
    holds_among_all,
    rank_by_pairs,
    rank_in_tie_groups,
)
from backend.core.results.results import Values
from backend.core.statistics.comparison import Comparison, Word
from backend.core.statistics.estimate import Estimate
from backend.core.units import Direction


class Eligibility(IntEnum):
    """Whether a candidate gets a rank, and why not. Lists show candidates in this order.

    NOT_TESTABLE: it has one trial and so no interval, or a value that is not positive and so no
    ratio.
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
        instrument_ratio: the factor by which the load generator may be wrong about the metric.
    """

    name: str
    estimate: Estimate | None
    values: Values
    run_id: UUID | None = None
    excluded_by: Sequence[str] = ()
    trials_failed: int = 0
    instrument_ratio: float = 1.0

    @property
    def has_one_trial(self) -> bool:
        """Return whether its estimate has no interval because it comes from one trial."""
        return self.estimate is not None and self.estimate.low is None

    @property
    def eligibility(self) -> Eligibility:
        """Return whether it gets a rank."""
        if self.estimate is None:
            return Eligibility.WITHOUT_VALUE
        if self.excluded_by:
            return Eligibility.EXCLUDED
        if self.has_one_trial or min(self.values.values()) <= 0:
            return Eligibility.NOT_TESTABLE
        return Eligibility.ELIGIBLE


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate with its rank, which is None unless it is eligible.

    Attributes:
        ties: positions, among all candidates, of those it is tied with.
        ratio: to the baseline; None for the baseline itself, and where there is no ratio.
        word: outcome of the comparison with the baseline. None without a ratio, if either is
            excluded, and if the two tie although the pair alone differs significantly.
    """

    candidate: Candidate
    rank: int | None
    ties: tuple[int, ...]
    ratio: Ratio | None
    word: Word | None


@dataclass(frozen=True)
class CandidateRanking:
    """Ranked candidates, in the order in which they were passed.

    Attributes:
        order: positions by eligibility, then rank, then estimate.
        baseline: position of the candidate that ratios refer to. None if no candidate can be it.
        is_sequential: whether the number of trials depended on the results.
    """

    candidates: Sequence[RankedCandidate]
    order: Sequence[int]
    baseline: int | None
    is_sequential: bool = False


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
    if sequential is None:
        ranks = _find_ranks(candidates, eligible, direction)
    else:
        ranks = _find_sequential_ranks(sequential, eligible, direction)
    unranked = best_first[len(eligible) :]
    order = [*sorted(eligible, key=lambda position: ranks[position].rank), *unranked]
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
            _to_ranked(candidates, position, baseline, ranks.get(position), direction, sequential)
            for position in positions
        ],
        order,
        baseline,
        is_sequential=sequential is not None,
    )


def _sort_key(candidate: Candidate, sign: int) -> tuple[int, float]:
    estimate = candidate.estimate.estimate if candidate.estimate else 0.0
    return candidate.eligibility, sign * estimate


def _find_ranks(
    candidates: Sequence[Candidate], eligible: Sequence[int], direction: Direction
) -> dict[int, Rank]:
    """Return ranks by position; their ties are positions among all candidates too."""
    compared: dict[tuple[int, int], Comparison] = {}
    for first, second in combinations(range(len(eligible)), 2):
        pair = candidates[eligible[first]], candidates[eligible[second]]
        ratio = _compare(*pair, direction)
        assert ratio is not None  # All values of eligible candidates are positive.
        compared[first, second] = ratio.comparison
    return _name_positions(rank_in_tie_groups(len(eligible), compared, direction), eligible)


def _find_sequential_ranks(
    sequential: SequentialPairs, eligible: Sequence[int], direction: Direction
) -> dict[int, Rank]:
    """Return ranks as `_find_ranks` does, from pairs that need no further correction."""
    different = {}
    for first, second in sequential.list_pairs(Word.FASTER, Word.SLOWER):
        ratio = sequential.find_ratio(first, second)
        assert ratio is not None
        different[eligible.index(first), eligible.index(second)] = ratio.comparison.ratio
    return _name_positions(rank_by_pairs(len(eligible), different, direction), eligible)


def _name_positions(ranks: Sequence[Rank], eligible: Sequence[int]) -> dict[int, Rank]:
    return {
        position: Rank(rank.rank, tuple(eligible[tie] for tie in rank.ties))
        for position, rank in zip(eligible, ranks, strict=True)
    }


def _to_ranked(
    candidates: Sequence[Candidate],
    position: int,
    baseline: int | None,
    rank: Rank | None,
    direction: Direction,
    sequential: SequentialPairs | None,
) -> RankedCandidate:
    candidate = candidates[position]
    ties = rank.ties if rank else ()
    ratio, word = None, None
    if baseline is not None and baseline != position:
        other = candidates[baseline]
        ratio = sequential.find_ratio(position, baseline) if sequential else None
        if ratio is None:
            ratio = _compare(candidate, other, direction)
        if ratio is not None and not candidate.excluded_by and not other.excluded_by:
            found = ratio.comparison.word
            word = found if holds_among_all(found, tied=baseline in ties) else None
    return RankedCandidate(candidate, rank.rank if rank else None, ties, ratio, word)


def _compare(first: Candidate, second: Candidate, direction: Direction) -> Ratio | None:
    if not first.values or not second.values:
        return None
    return compare_values(
        first.values,
        second.values,
        direction,
        interleaved=first.run_id == second.run_id,
        instrument_ratio=max(first.instrument_ratio, second.instrument_ratio),
    )

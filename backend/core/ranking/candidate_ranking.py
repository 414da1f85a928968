"""Rank the cells of one group by one metric: ranks, ties and ratios; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from backend.core.ranking.pairs import Ratio, compare_values
from backend.core.ranking.tie_groups import Rank, rank_in_tie_groups
from backend.core.results.results import Values
from backend.core.statistics.comparison import Comparison, Word
from backend.core.statistics.estimate import Estimate
from backend.core.units import METRICS, Direction, Metric, ProfileKind

# The main metrics of each kind of load, by preference.
_HEADLINES = {
    ProfileKind.RATE: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
    ProfileKind.USERS: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
    ProfileKind.SATURATE: (Metric.THROUGHPUT_RPS, Metric.LATENCY_P99_MS),
    ProfileKind.STEPS: (Metric.SUSTAINED_RPS, Metric.KNEE_RPS),
    ProfileKind.COUNT: (Metric.LATENCY_MEAN_MS, Metric.LATENCY_P50_MS),
}


@dataclass(frozen=True)
class Candidate:
    """A cell by one metric. `estimate` is None if no trial gave it."""

    name: str
    estimate: Estimate | None
    # Repetition to value.
    values: Values
    # The verdicts that exclude it from ranking, as words.
    excluded_by: Sequence[str] = ()
    trials_failed: int = 0


@dataclass(frozen=True)
class RankedCandidate:
    """The rank of a candidate. An excluded candidate and one without a number have no rank."""

    candidate: Candidate
    rank: int | None
    # Positions, among the candidates, of those it is tied with.
    ties: tuple[int, ...] = ()
    # Over the baseline; None for the baseline itself, and where there is no ratio.
    ratio: Ratio | None = None


@dataclass(frozen=True)
class CandidateRanking:
    """Ranked candidates, in the order in which they were passed."""

    metric: Metric
    candidates: Sequence[RankedCandidate]
    # Positions in order: ranked candidates, best estimate first, then excluded ones, then those
    # without a number.
    order: Sequence[int] = field(default_factory=tuple)
    # Position of the candidate that ratios refer to. None if no candidate is ranked.
    baseline: int | None = None


def headline_metric(kind: ProfileKind, known: Sequence[Metric]) -> Metric:
    """Return the main metric of a kind of load, among those that cells have."""
    wanted = _HEADLINES[kind]
    return next((metric for metric in wanted if metric in known), wanted[0])


def rank_candidates(
    metric: Metric, candidates: Sequence[Candidate], baseline: int | None = None
) -> CandidateRanking:
    """Return the ranks in tie groups, and every candidate's ratio over the baseline.

    Args:
        candidates: cells of one interleaved run, so that equal repetitions are pairs.
        baseline: position of the candidate that ratios refer to; default: the best estimate.
    """
    direction = METRICS[metric].direction
    sign = -1 if direction is Direction.HIGHER else 1

    def sort_key(position: int) -> tuple[int, float]:
        candidate = candidates[position]
        if candidate.estimate is None:
            return 2, 0.0
        return (1 if candidate.excluded_by else 0), sign * candidate.estimate.estimate

    order = sorted(range(len(candidates)), key=sort_key)
    ranked = [position for position in order if sort_key(position)[0] == 0]
    best = ranked[0] if ranked else None
    baseline = best if baseline is None else baseline
    ranks = _find_ranks([candidates[position] for position in ranked], direction)
    ranked_candidates = []
    for position, candidate in enumerate(candidates):
        found = ranks[ranked.index(position)] if position in ranked else None
        other = None if baseline is None or baseline == position else candidates[baseline]
        ranked_candidates.append(
            RankedCandidate(
                candidate=candidate,
                # One trial gives no interval, and so no rank.
                rank=found.rank if found and _has_interval(candidate) else None,
                ties=tuple(ranked[tied] for tied in found.ties) if found else (),
                ratio=None if other is None else _ratio(candidate, other, direction),
            )
        )
    return CandidateRanking(metric, ranked_candidates, order, baseline)


def _find_ranks(ranked: Sequence[Candidate], direction: Direction) -> list[Rank]:
    compared: dict[tuple[int, int], Comparison] = {}
    for i, j in combinations(range(len(ranked)), 2):
        ratio = _ratio(ranked[i], ranked[j], direction)
        compared[i, j] = ratio.comparison if ratio else _TIE
    return rank_in_tie_groups(len(ranked), compared, direction)


# Values that are not positive have no ratio, so they count as a tie.
_TIE = Comparison(ratio=1.0, low=None, high=None, power=None, word=Word.INCONCLUSIVE, p_value=None)


def _ratio(first: Candidate, second: Candidate, direction: Direction) -> Ratio | None:
    if not first.values or not second.values:
        return None
    return compare_values(first.values, second.values, direction, interleaved=True)


def _has_interval(candidate: Candidate) -> bool:
    return candidate.estimate is not None and candidate.estimate.low is not None

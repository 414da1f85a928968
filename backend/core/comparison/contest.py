"""Cells of one group set against each other by one metric: places, ties and ratios; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from backend.core.comparison.pairs import Ratio, compare_values
from backend.core.comparison.ranking import Place, rank_in_tie_groups
from backend.core.comparison.results import Values
from backend.core.comparison.stats import Comparison, Estimate, Word
from backend.core.units import METRICS, Direction, Metric, ProfileKind

# The figure a kind of load is for, by preference.
_HEADLINES = {
    ProfileKind.RATE: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
    ProfileKind.USERS: (Metric.CPU_US_PER_REQUEST, Metric.LATENCY_P99_MS, Metric.THROUGHPUT_RPS),
    ProfileKind.SATURATE: (Metric.THROUGHPUT_RPS, Metric.LATENCY_P99_MS),
    ProfileKind.STEPS: (Metric.SUSTAINED_RPS, Metric.KNEE_RPS),
    ProfileKind.COUNT: (Metric.LATENCY_MEAN_MS, Metric.LATENCY_P50_MS),
}


@dataclass(frozen=True)
class Contender:
    """A cell by one metric. `estimate` is None where no trial gave it."""

    name: str
    estimate: Estimate | None
    # Repetition to value.
    values: Values
    # The verdicts that exclude it from ranking, as words.
    excluded_by: Sequence[str] = ()
    trials_failed: int = 0


@dataclass(frozen=True)
class Standing:
    """Where a contender stands; an excluded one, or one without a number, has no place."""

    contender: Contender
    place: int | None
    # Positions, among the standings, of those it is tied with.
    ties: tuple[int, ...] = ()
    # Over the baseline; None for the baseline itself, and where there is no ratio.
    ratio: Ratio | None = None


@dataclass(frozen=True)
class Contest:
    """Contenders in the order in which they were given."""

    metric: Metric
    standings: Sequence[Standing]
    # Positions in order: ranked ones best estimate first, then excluded, then without a number.
    order: Sequence[int] = field(default_factory=tuple)
    # Whose ratios the others' are; None where nobody is ranked.
    baseline: int | None = None


def headline_metric(kind: ProfileKind, known: Sequence[Metric]) -> Metric:
    """The metric that a kind of load is for, of those that cells have."""
    wanted = _HEADLINES[kind]
    return next((metric for metric in wanted if metric in known), wanted[0])


def hold_contest(
    metric: Metric, contenders: Sequence[Contender], baseline: int | None = None
) -> Contest:
    """Places in tie groups, and every contender's ratio over the baseline.

    Args:
        contenders: cells of one interleaved run, so that equal repetitions are pairs.
        baseline: position of the one that others are measured by; default: the best estimate.
    """
    direction = METRICS[metric].direction
    sign = -1 if direction is Direction.HIGHER else 1

    def rank(position: int) -> tuple[int, float]:
        one = contenders[position]
        if one.estimate is None:
            return 2, 0.0
        return (1 if one.excluded_by else 0), sign * one.estimate.estimate

    order = sorted(range(len(contenders)), key=rank)
    ranked = [position for position in order if rank(position)[0] == 0]
    best = ranked[0] if ranked else None
    baseline = best if baseline is None else baseline
    places = _find_places([contenders[position] for position in ranked], direction)
    standings = []
    for position, one in enumerate(contenders):
        found = places[ranked.index(position)] if position in ranked else None
        other = None if baseline is None or baseline == position else contenders[baseline]
        standings.append(
            Standing(
                contender=one,
                # One trial gives no interval, and so no place.
                place=found.place if found and _has_interval(one) else None,
                ties=tuple(ranked[tied] for tied in found.ties) if found else (),
                ratio=None if other is None else _ratio(one, other, direction),
            )
        )
    return Contest(metric, standings, order, baseline)


def _find_places(ranked: Sequence[Contender], direction: Direction) -> list[Place]:
    compared: dict[tuple[int, int], Comparison] = {}
    for i, j in combinations(range(len(ranked)), 2):
        ratio = _ratio(ranked[i], ranked[j], direction)
        compared[i, j] = ratio.comparison if ratio else _UNTOLD
    return rank_in_tie_groups(len(ranked), compared, direction)


# Of values that are not positive there is no ratio, and so nothing is told apart.
_UNTOLD = Comparison(
    ratio=1.0, low=None, high=None, power=None, word=Word.INCONCLUSIVE, p_value=None
)


def _ratio(first: Contender, second: Contender, direction: Direction) -> Ratio | None:
    if not first.values or not second.values:
        return None
    return compare_values(first.values, second.values, direction, interleaved=True)


def _has_interval(one: Contender) -> bool:
    return one.estimate is not None and one.estimate.low is not None

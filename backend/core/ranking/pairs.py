"""Compare two results in each metric; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.results.environment import Difference
from backend.core.results.results import Result, Values, result_differences
from backend.core.statistics.comparison import Comparison, compare_independent, compare_pairs
from backend.core.units import METRICS, Direction, Metric, ProfileKind


class Comparability(StrEnum):
    """Whether two results can be compared. If not, the ratio has no judgement."""

    COMPARABLE = "comparable"
    INCOMPARABLE = "incomparable"
    EXCLUDED = "excluded"


class Method(StrEnum):
    """How the confidence interval of a ratio was computed.

    SEQUENTIAL: after each block of a run with a goal, so that all intervals hold together.
    """

    PAIRED = "paired"
    INDEPENDENT = "independent"
    SEQUENTIAL = "sequential"


@dataclass(frozen=True)
class Ratio:
    """The ratio of a metric to the baseline. `n` is the number of pairs, or of the smaller side."""

    comparison: Comparison
    method: Method
    n: int


@dataclass(frozen=True)
class Pair:
    """The comparison of a result with the baseline."""

    comparability: Comparability
    differences: Sequence[Difference]
    ratios: Mapping[Metric, Ratio]


@dataclass(frozen=True)
class ComparedEntry:
    """A result of a comparison; its pair is None for the baseline."""

    result: Result
    label: str
    pair: Pair | None


def compare_results(result: Result, baseline: Result) -> Pair:
    """Compare every metric that both have. Trials of one interleaved run are paired."""
    differences = result_differences(baseline, result)
    if differences:
        comparability = Comparability.INCOMPARABLE
    elif result.cell.excluded or baseline.cell.excluded:
        comparability = Comparability.EXCLUDED
    else:
        comparability = Comparability.COMPARABLE
    interleaved = result.cell.run_id == baseline.cell.run_id
    ratios = {}
    for metric in Metric:
        if metric in result.values and metric in baseline.values:
            ratio = compare_values(
                result.values[metric],
                baseline.values[metric],
                METRICS[metric].direction,
                interleaved=interleaved,
                instrument_ratio=max(
                    side.instrument.find_ratio(metric, ProfileKind(side.cell.kind))
                    for side in (result, baseline)
                ),
            )
            if ratio is not None:
                ratios[metric] = ratio
    return Pair(comparability, differences, ratios)


def compare_values(
    first: Values,
    second: Values,
    direction: Direction,
    *,
    interleaved: bool,
    instrument_ratio: float = 1.0,
) -> Ratio | None:
    """Return the ratio of first to second, or None if a value is not positive.

    Args:
        first, second: repetition to value, at least one each.
        interleaved: equal repetitions ran next to each other, so they are paired where at least
            two pairs are whole.
        instrument_ratio: the factor by which the load generator may be wrong about the ratio.
    """
    if min(*first.values(), *second.values()) <= 0:
        return None
    shared = sorted(first.keys() & second.keys())
    if interleaved and len(shared) > 1:
        pairs = ([first[item] for item in shared], [second[item] for item in shared])
        paired = compare_pairs(*pairs, direction, instrument_ratio)
        return Ratio(paired, Method.PAIRED, len(shared))
    sides = ([*first.values()], [*second.values()])
    compared = compare_independent(*sides, direction, instrument_ratio)
    return Ratio(compared, Method.INDEPENDENT, min(len(first), len(second)))

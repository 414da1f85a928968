"""Two results set against each other, metric by metric; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.core.results.environment import Difference
from backend.core.results.results import Result, Values, result_differences
from backend.core.statistics.comparison import Comparison, compare_independent, compare_pairs
from backend.core.units import METRICS, Direction, Metric


class Comparability(StrEnum):
    """Whether two results can be compared. If not, the ratio has no judgement."""

    COMPARABLE = "comparable"
    INCOMPARABLE = "incomparable"
    EXCLUDED = "excluded"


class Method(StrEnum):
    """How the confidence interval of a ratio was computed."""

    PAIRED = "paired"
    INDEPENDENT = "independent"


@dataclass(frozen=True)
class Ratio:
    """One metric of a result over the baseline's. `n` counts pairs, or the smaller side."""

    comparison: Comparison
    method: Method
    n: int


@dataclass(frozen=True)
class Pair:
    """A result against the baseline."""

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
    """Every metric that both have; trials of one interleaved run are paired."""
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
            )
            if ratio is not None:
                ratios[metric] = ratio
    return Pair(comparability, differences, ratios)


def compare_values(
    first: Values, second: Values, direction: Direction, *, interleaved: bool
) -> Ratio | None:
    """First over second; None where a value is not positive, of which there is no ratio.

    Args:
        first, second: repetition to value, at least one each.
        interleaved: equal repetitions ran next to each other, so they are paired where at least
            two pairs are whole.
    """
    if min(*first.values(), *second.values()) <= 0:
        return None
    shared = sorted(first.keys() & second.keys())
    if interleaved and len(shared) > 1:
        pairs = ([first[one] for one in shared], [second[one] for one in shared])
        return Ratio(compare_pairs(*pairs, direction), Method.PAIRED, len(shared))
    compared = compare_independent([*first.values()], [*second.values()], direction)
    return Ratio(compared, Method.INDEPENDENT, min(len(first), len(second)))

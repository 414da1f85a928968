"""Compare two results in each metric; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from backend.core.measurement.statistics.comparison import (
    EXACT,
    Comparison,
    Instrument,
    compare_independent,
    compare_independent_shares,
    compare_pairs,
    compare_share_pairs,
)
from backend.core.measurement.statistics.rates import RateBounds, compare_rates
from backend.core.results.cell_result import CellResult, Values
from backend.core.results.environment import Difference
from backend.core.results.results import result_differences
from backend.core.units import METRICS, Direction, Metric


class Comparability(StrEnum):
    """Whether two results can be compared. If not, they are not comparable in any metric."""

    COMPARABLE = "comparable"
    INCOMPARABLE = "incomparable"
    EXCLUDED = "excluded"


class Method(StrEnum):
    """How the confidence interval of a ratio was computed.

    SEQUENTIAL: after each block of a run with a goal, so that all intervals hold together.
    STEPS: from the rates that a service passed and failed, in a load in steps.
    """

    PAIRED = "paired"
    INDEPENDENT = "independent"
    SEQUENTIAL = "sequential"
    STEPS = "steps"


@dataclass(frozen=True)
class Ratio:
    """The comparison of a metric with the baseline: a ratio, or a difference of shares.

    `n` is the number of pairs, or of the trials of the smaller side.
    """

    comparison: Comparison
    method: Method
    n: int

    def as_not_comparable(self) -> "Ratio":
        """Return the same figures for results that are not comparable."""
        return replace(self, comparison=self.comparison.as_not_comparable())


@dataclass(frozen=True)
class Pair:
    """The comparison of a result with the baseline."""

    comparability: Comparability
    differences: Sequence[Difference]
    ratios: Mapping[Metric, Ratio]


@dataclass(frozen=True)
class ComparedEntry:
    """A result of a comparison; its pair is None for the baseline."""

    result: CellResult
    label: str
    pair: Pair | None


def compare_results(result: CellResult, baseline: CellResult) -> Pair:
    """Compare every metric that both have, unless one of them has only a bound.

    Trials of one interleaved run are paired.
    """
    differences = result_differences(baseline, result)
    if differences:
        comparability = Comparability.INCOMPARABLE
    elif result.summary.excluded or baseline.summary.excluded:
        comparability = Comparability.EXCLUDED
    else:
        comparability = Comparability.COMPARABLE
    interleaved = result.summary.run_id == baseline.summary.run_id
    bounds = result.bounds | baseline.bounds
    ratios = {}
    for metric in Metric:
        if metric in bounds or metric not in result.values or metric not in baseline.values:
            continue
        ratio = _compare_metric(result, baseline, metric, interleaved=interleaved)
        if ratio is not None:
            is_comparable = comparability is Comparability.COMPARABLE
            ratios[metric] = ratio if is_comparable else ratio.as_not_comparable()
    return Pair(comparability, differences, ratios)


def _compare_metric(
    result: CellResult, baseline: CellResult, metric: Metric, *, interleaved: bool
) -> Ratio | None:
    rates = result.rates, baseline.rates
    if metric is Metric.SUSTAINED_RPS and rates[0] is not None and rates[1] is not None:
        return compare_steps(rates[0], rates[1])
    return compare_values(
        result.values[metric],
        baseline.values[metric],
        METRICS[metric].direction,
        interleaved=interleaved,
        instrument=_find_instrument(result, metric).combine(_find_instrument(baseline, metric)),
        is_share=METRICS[metric].is_share,
    )


def _find_instrument(result: CellResult, metric: Metric) -> Instrument:
    return result.instrument.describe(metric, result.kind)


def compare_steps(first: RateBounds, second: RateBounds) -> Ratio:
    """Return the comparison of the rates that two services sustained in the same steps."""
    smaller = min(len(first.rates), len(second.rates))
    return Ratio(compare_rates(first, second), Method.STEPS, smaller)


def compare_values(
    first: Values,
    second: Values,
    direction: Direction,
    *,
    interleaved: bool,
    instrument: Instrument = EXACT,
    is_share: bool = False,
) -> Ratio | None:
    """Return the comparison of first with second; None for a ratio if a value is not positive.

    Args:
        first, second: repetition to value, at least one each.
        interleaved: equal repetitions ran next to each other, so they are paired where at least
            two pairs are whole.
        instrument: what is known about the errors of the host and its load generator.
        is_share: whether the values are shares, which are compared by their difference.
    """
    if not is_share and min(*first.values(), *second.values()) <= 0:
        return None
    shared = sorted(first.keys() & second.keys())
    if interleaved and len(shared) > 1:
        pairs = ([first[item] for item in shared], [second[item] for item in shared])
        paired = (
            compare_share_pairs(*pairs, direction)
            if is_share
            else compare_pairs(*pairs, direction, instrument)
        )
        return Ratio(paired, Method.PAIRED, len(shared))
    sides = ([*first.values()], [*second.values()])
    compared = (
        compare_independent_shares(*sides, direction)
        if is_share
        else compare_independent(*sides, direction, instrument)
    )
    return Ratio(compared, Method.INDEPENDENT, min(len(first), len(second)))

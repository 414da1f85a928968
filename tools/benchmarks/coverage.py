"""Count how many of 100 intervals contain the true value, by simulation: `make bench-coverage`.

It simulates cells of 3, 5 and 10 normal or skewed (lognormal) trials with a known centre, and
aggregates them like metrics: times, rates and costs by their logs, shares directly. The true value
of an interval on logs is the geometric mean, which is simulated for normal trials. Shares are those
of 5,000 requests in trials whose true shares vary (beta-binomial). The table also has the
percentile bootstrap, which Tacho does not use because it is too narrow.

Rankings of six results have Holm-adjusted intervals. For them, the table shows how often no
interval of a ranking excludes the true ratio of equal results, and how often all intervals of a
ranking contain their true ratios, which has no goal. The last line is one JSON object.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import log
from statistics import fmean

import numpy as np
import numpy.typing as npt

from backend.core.measurement.statistics.comparison import (
    Comparison,
    compare_independent,
    compare_pairs,
)
from backend.core.measurement.statistics.estimate import estimate
from backend.core.results.ranking.ranks import adjust_for_all_pairs
from backend.core.units import Aggregation, Direction
from tools.benchmarks.measuring import is_within, print_result

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
Compare = Callable[[list[float], list[float], Direction], Comparison]

_SIZES = (3, 5, 10)
_LOWEST, _HIGHEST = 0.93, 0.97
_TRUTH_TRIALS = 4_000_000
# The bootstrap is slow, so it covers fewer cells.
_BOOTSTRAPPED = 1000
_RESAMPLES = 1000
# The noise of a trial on a shared machine, and a noise that makes any trial useless.
_SPREADS = (0.10, 0.20, 0.40)
# A normal distribution of this width comes near zero, where logs have a long tail. It is shown but
# has no goal.
_NORMAL_SPREAD = 0.20
_TRUE_RATIO = 1.05
# Mean and standard deviation of the true shares of trials, and the requests of a trial.
_SHARES = ((0.5, 0.05), (0.82, 0.05), (0.82, 0.15), (0.95, 0.04), (0.99, 0.008), (0.999, 0.0005))
_REQUESTS = 5_000
# Sets of true ratios: equal results, some equal ones, and results that all differ.
_RANKED = {
    "6 equal results": (1.0,) * 6,
    "3 equal of 6 results": (1.0, 1.0, 1.0, 1.3, 1.7, 2.2),
    "6 different results": (1.0, 1.2, 1.5, 1.8, 2.2, 2.6),
}
_RANKED_SPREAD = 0.03


@dataclass(frozen=True)
class Case:
    """A law of trials.

    Attributes:
        truth: the true value; None if it is simulated.
        judged: whether the goal applies.
    """

    name: str
    draw: Draw
    aggregation: Aggregation
    truth: float | None
    judged: bool = True


@dataclass(frozen=True)
class Coverage:
    """Share of intervals that contain the true value; None for the bootstrap if it is not used."""

    interval: str
    n: int
    share: float
    bootstrap: float | None
    judged: bool = True


def main() -> None:
    """Print the table and the JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000, help="simulated cells a figure")
    cells = parser.parse_args().cells
    found = [_cover(case, n, cells) for case in _list_cases() for n in _SIZES]
    for name, compare in (("paired", compare_pairs), ("Welch", compare_independent)):
        found += [
            _cover_ratio(f"ratio, {name}, lognormal {spread:.0%}", compare, n, spread, cells)
            for spread in _SPREADS
            for n in _SIZES
        ]
    _show(found)
    ranked = [
        _cover_ranking(name, ratios, n, cells // 10)
        for name, ratios in _RANKED.items()
        for n in _SIZES
    ]
    _show_ranked(ranked)
    shares = [item.share for item in found if item.judged]
    figures = {
        "lowest": min(shares),
        "highest": max(shares),
        "lowest_ranking": min(item.right for item in ranked),
        "cells": cells,
        "intervals": [asdict(item) for item in found],
        "rankings": [asdict(item) for item in ranked],
    }
    goals = {"lowest": _LOWEST, "highest": _HIGHEST, "lowest_ranking": _LOWEST}
    met = is_within(figures, goals, least=("lowest", "lowest_ranking"))
    print_result("coverage", figures, goals, met=met)


def _list_cases() -> list[Case]:
    geometric, arithmetic = Aggregation.GEOMETRIC, Aggregation.ARITHMETIC
    of_shares = Aggregation.SHARE
    cases = []
    for spread in _SPREADS:
        cases += [
            Case(
                f"mean of logs, normal {spread:.0%}",
                _normal(spread),
                geometric,
                None,
                judged=spread <= _NORMAL_SPREAD,
            ),
            Case(f"mean of logs, lognormal {spread:.0%}", _lognormal(spread), geometric, 1.0),
        ]
    shares = [
        Case(f"share {mean:.1%}, deviation {spread:.2%}", _share(mean, spread), of_shares, mean)
        for mean, spread in _SHARES
    ]
    return [*cases, Case("mean, normal 10%", _normal(0.10), arithmetic, 1.0), *shares]


def _normal(spread: float) -> Draw:
    """Values around 1. Values that are not positive, at most 1 of 160 at 40 %, are raised to the
    minimum."""
    return lambda random, size: np.maximum(random.normal(1.0, spread, size), 0.01)


def _lognormal(spread: float) -> Draw:
    return lambda random, size: np.exp(random.normal(0.0, spread, size))


def _share(mean: float, spread: float) -> Draw:
    """Shares of successful requests in trials whose true shares have a beta distribution."""
    size = mean * (1 - mean) / spread**2 - 1

    def draw(random: np.random.Generator, count: int) -> Floats:
        true = random.beta(mean * size, (1 - mean) * size, count)
        return random.binomial(_REQUESTS, true) / _REQUESTS

    return draw


def _cover(case: Case, n: int, cells: int) -> Coverage:
    random = np.random.default_rng([n, *case.name.encode()])
    truth = case.truth
    if truth is None:
        truth = float(np.exp(np.log(case.draw(random, _TRUTH_TRIALS)).mean()))
    trials = case.draw(random, cells * n).reshape(cells, n)
    held = 0
    for values in trials.tolist():
        found = estimate(values, case.aggregation)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    scaled = np.log(trials) if case.aggregation is Aggregation.GEOMETRIC else trials
    centre = log(truth) if case.aggregation is Aggregation.GEOMETRIC else truth
    bootstrap = fmean(_bootstrap_holds(random, item, centre) for item in scaled[:_BOOTSTRAPPED])
    return Coverage(case.name, n, held / cells, bootstrap, case.judged)


def _bootstrap_holds(random: np.random.Generator, values: Floats, truth: float) -> bool:
    """The percentile bootstrap (B. Efron, 1979) of the mean."""
    means = random.choice(values, (_RESAMPLES, len(values))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return bool(low <= truth <= high)


def _cover_ratio(name: str, compare: Compare, n: int, spread: float, cells: int) -> Coverage:
    random = np.random.default_rng([n, *name.encode()])
    trials = np.exp(random.normal(0.0, spread, (cells, 2, n)))
    trials[:, 0] *= _TRUE_RATIO
    held = 0
    for first, second in trials.tolist():
        found = compare(first, second, Direction.LOWER)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= _TRUE_RATIO <= found.high
    return Coverage(name, n, held / cells, None)


@dataclass(frozen=True)
class RankingCoverage:
    """Shares of rankings.

    Attributes:
        right: no interval excludes the true ratio of two equal results.
        all_contained: all intervals contain their true ratio.
    """

    results: str
    n: int
    right: float
    all_contained: float


def _cover_ranking(name: str, ratios: Sequence[float], n: int, rankings: int) -> RankingCoverage:
    random = np.random.default_rng([n, *name.encode()])
    noise = random.normal(0.0, _RANKED_SPREAD, (rankings, len(ratios), n))
    trials = (np.exp(noise) * np.array(ratios)[:, None]).tolist()
    right = contained = 0
    for results in trials:
        adjusted = adjust_for_all_pairs(
            {
                (i, j): compare_pairs(results[i], results[j], Direction.LOWER)
                for i, j in combinations(range(len(ratios)), 2)
            }
        )
        missed = [
            ratios[i] / ratios[j]
            for (i, j), found in adjusted.items()
            if not _contains(found, ratios[i] / ratios[j])
        ]
        right += 1.0 not in missed
        contained += not missed
    return RankingCoverage(name, n, right / rankings, contained / rankings)


def _contains(found: Comparison, ratio: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= ratio <= found.high


def _show_ranked(found: Sequence[RankingCoverage]) -> None:
    print(f"\n{'rankings':<32} {'N':>3} {'right':>7} {'all':>7}")
    for item in found:
        print(f"{item.results:<32} {item.n:>3} {item.right:>7.1%} {item.all_contained:>7.1%}")


def _show(found: Sequence[Coverage]) -> None:
    by_n = {n: [item for item in found if item.n == n] for n in _SIZES}
    print("".join([f"{'interval':<32}", *(f" {f'N = {n}':>7} {'boot.':>7}" for n in _SIZES)]))
    for row in zip(*by_n.values(), strict=True):
        shares = "".join(
            f" {item.share:>7.1%} {'' if item.bootstrap is None else f'{item.bootstrap:.1%}':>7}"
            for item in row
        )
        print(f"{row[0].interval:<32}{shares}{'' if row[0].judged else '  beyond the goal'}")


if __name__ == "__main__":
    main()

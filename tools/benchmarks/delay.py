"""Simulate how many points a build needs until its change is suspected."""

from dataclasses import dataclass
from math import inf, log

import numpy as np

from backend.core.changes.detection import MIN_SEGMENT_POINTS, Observation, find_changes
from backend.core.changes.new_build import analyse_build, find_arrival
from backend.core.changes.service import FALSE_DISCOVERY_RATE
from backend.core.measurement.statistics.multiple_tests import pass_false_discovery_rate

_HISTORIES = 200
_MOST_POINTS = 60
_NEAR_POINTS = 5


@dataclass(frozen=True)
class Delay:
    """Points at the new level until half, and nine of ten, of the histories are suspected.

    None beyond _MOST_POINTS. `within` is the share that is suspected within the requested number of
    points.
    """

    half: int | None
    nine_tenths: int | None
    within: float


def expect_delay(variation: float, ratio: float, before: int, after: int, series: int) -> Delay:
    """Return the delay for a build that changes the level by `ratio`, in independent points of one
    trial each.

    Args:
        variation: coefficient of variation from point to point.
        before: points at the old level.
        after: points for `within`.
        series: number of series of each run. All are tested together.
    """
    random = np.random.default_rng(0)
    delays = [_delay(random, variation, ratio, before, series) for _ in range(_HISTORIES)]
    half, nine_tenths = np.quantile(delays, [0.5, 0.9], method="inverted_cdf")
    return Delay(
        half=int(half) if half < inf else None,
        nine_tenths=int(nine_tenths) if nine_tenths < inf else None,
        within=float(np.mean([delay <= after for delay in delays])),
    )


def _delay(
    random: np.random.Generator, variation: float, ratio: float, before: int, series: int
) -> float:
    logs = random.normal(0, variation, before + _MOST_POINTS)
    logs[before:] += log(ratio)
    points = [Observation(float(item), None) for item in logs]
    for after in range(MIN_SEGMENT_POINTS, _MOST_POINTS + 1):
        seen = before + after
        found = find_changes(points[:seen])
        # As in the service: Bonferroni over the positions or analyses, then Benjamini-Hochberg over
        # the batch.
        asked = [(change, seen) for change in found[-1:]]
        builds = ["old"] * before + ["new"] * after
        arrival = find_arrival(builds, [change.index for change in found])
        at_build = analyse_build(points[:seen], arrival) if arrival else None
        asked += [(at_build, arrival.analyses)] if arrival and at_build else []
        for change, tests in asked:
            is_it = (change.ratio > 1) == (ratio > 1) and abs(change.index - before) <= _NEAR_POINTS
            p_values = [min(1.0, change.p_value * tests), *[None] * (series - 1)]
            if is_it and pass_false_discovery_rate(p_values, FALSE_DISCOVERY_RATE)[0]:
                return after
    return inf

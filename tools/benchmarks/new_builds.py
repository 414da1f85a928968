"""Interim analyses of new builds in simulated histories: their delay and their error rate."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from math import log

import numpy as np

from backend.core.changes.detection import MIN_POINTS, Observation, find_changes
from backend.core.changes.new_build import (
    INTERIM_POINTS,
    OtherSeries,
    analyse_build,
    find_arrival,
    find_host_shift,
)
from backend.core.changes.service import FALSE_DISCOVERY_RATE
from tools.benchmarks.detectors import StepDetectionRate, sum_up
from tools.benchmarks.noise import VARIATION, Model, drift, make_history

# Points of the old build: the minimum of a history.
_BEFORE = MIN_POINTS
# Series of a run of one service at a rate. Only one of them shifts.
_SERIES = 4
_POINTS = _BEFORE + INTERIM_POINTS[-1]
_OTHER_SEEDS = 2_000_000
# From docs/results/changes.md: on such a host, services vary by 3 % themselves.
_HOST_VARIATION = 0.07
_HOST_CORRELATION = 0.8
_OTHERS = (0, 1, 3)
_NOISIER = 2

Watch = Callable[[float, int], tuple[list[Observation], list[OtherSeries]]]
"""Returns the points of a history and of the series measured with it, from a ratio and a seed."""


def watch_builds(
    pool: Executor, histories: int, ratios: Sequence[float]
) -> dict[str, list[StepDetectionRate]]:
    """For each kind of noise and each ratio of the new build. With a ratio of 1, all findings are
    false.

    The last kinds are hosts that drift more than their services vary, with different numbers of
    services.
    """
    watched: dict[str, Watch] = {model.value: partial(_make, model) for model in Model}
    watched["a build twice as noisy"] = _make_noisier
    watched |= {
        f"a host's drift, {others} others": partial(_make_shared, others) for others in _OTHERS
    }
    return {
        kind: [
            sum_up(
                ratio, list(pool.map(partial(_watch, make, ratio), range(histories), chunksize=5))
            )
            for ratio in ratios
        ]
        for kind, make in watched.items()
    }


def show_builds(found: Mapping[str, Sequence[StepDetectionRate]]) -> None:
    """As a table."""
    print(f"\nA build after {_BEFORE} points, analysed with {INTERIM_POINTS} of its own")
    for kind, by_ratio in found.items():
        told = "".join(
            f" {f'{item.ratio - 1:+.0%}':>6} {item.share:>6.1%}"
            f" {'–' if item.delay is None else f'{item.delay:.0f}':>3}"
            for item in by_ratio
        )
        print(f"{kind:<24}{told}", flush=True)


def _watch(make: Watch, ratio: float, seed: int) -> int | None:
    """Return the number of points of the new build at its suspicion; None without one."""
    points, others = make(ratio, seed)
    runs = [str(run) for run in range(len(points))]
    for size in INTERIM_POINTS:
        seen = points[: _BEFORE + size]
        levels = [change.index for change in find_changes(seen)]
        arrival = find_arrival(["old"] * _BEFORE + ["new"] * size, levels)
        if arrival is None:
            continue
        shared = find_host_shift(runs[arrival.begin : len(seen)], others)
        found = analyse_build(seen, arrival, shared)
        if found and found.p_value * arrival.analyses <= FALSE_DISCOVERY_RATE / _SERIES:
            return size
    return None


def _make(model: Model, ratio: float, seed: int) -> tuple[list[Observation], list[OtherSeries]]:
    history = make_history(model, _OTHER_SEEDS + seed, _POINTS, _BEFORE, ratio)
    return history.points, []


def _make_noisier(ratio: float, seed: int) -> tuple[list[Observation], list[OtherSeries]]:
    """Return independent points that vary twice as much with the new build."""
    logs = VARIATION * np.random.default_rng([seed, _NOISIER]).normal(size=_POINTS)
    logs[_BEFORE:] = log(ratio) + _NOISIER * logs[_BEFORE:]
    return [Observation(float(item), None) for item in logs], []


def _make_shared(
    others: int, ratio: float, seed: int
) -> tuple[list[Observation], list[OtherSeries]]:
    """Return points that share most of their noise, as on the virtual machine of docs/results/."""
    random = np.random.default_rng([seed, others])
    host = _HOST_VARIATION * drift(random, _POINTS, _HOST_CORRELATION)
    each = host + VARIATION * random.normal(size=(1 + others, _POINTS))
    each[0, _BEFORE:] += log(ratio)
    neighbours = [
        OtherSeries({str(run): float(item) for run, item in enumerate(logs)}, frozenset({"same"}))
        for logs in each[1:]
    ]
    return [Observation(float(item), None) for item in each[0]], neighbours

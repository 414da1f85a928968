"""Test for a level shift at a new build, whose place is known in advance.

The detector tests every place of a history, so each test must be strict. At a new build, a single
test is enough. Other services of the same runs, whose builds did not change, show the drift of the
host in the meantime. Pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from backend.core.changes.detection import (
    MIN_SEGMENT_POINTS,
    WINDOW_POINTS,
    ChangePoint,
    Observation,
    compare_levels,
)
from backend.core.changes.spikes import draw_in
from backend.core.numeric import Floats, np

# Interim analyses of a new build take place when it has this many points.
INTERIM_POINTS = (4, 8, 16, 32)


@dataclass(frozen=True)
class Arrival:
    """A new build that is due for an interim analysis.

    Attributes:
        begin: index of the first point of the level before it.
        index: index of its own first point.
        analyses: number of its interim analyses so far, including this one.
    """

    begin: int
    index: int
    analyses: int


class Beside(NamedTuple):
    """Another service of the same runs: its mean logs and builds, by whatever names the runs."""

    logs: Mapping[str, float]
    builds: frozenset[str | None]


def find_arrival(builds: Sequence[str | None], levels: Sequence[int] = ()) -> Arrival | None:
    """Return the newest build of a series if it is due for an interim analysis.

    The number of points doubles between analyses, so that each has enough new data. The old level
    is that of the build before, at least four points, since the last change point within them.

    Args:
        builds: the digest of each point, oldest first; None where it is not known.
        levels: indices of the change points that are found in the series.
    """
    index = _find_begin(builds, len(builds))
    first = max(_find_begin(builds, index), index - WINDOW_POINTS)
    begin = max([first, *(at for at in levels if at <= index - MIN_SEGMENT_POINTS)])
    size = len(builds) - index
    if size not in INTERIM_POINTS or index - begin < MIN_SEGMENT_POINTS:
        return None
    return Arrival(begin, index, INTERIM_POINTS.index(size) + 1)


def analyse_build(
    points: Sequence[Observation], arrival: Arrival, shared: Sequence[float | None] = ()
) -> ChangePoint | None:
    """The change with a new build; None where it is too small to count.

    Its p-value is that of one analysis. Multiply it by `arrival.analyses` (Bonferroni).

    Args:
        points: of the series, oldest first.
        shared: how far the host went, in logs, for each point from `arrival.begin` on; None where
            nothing tells. Empty: for none. What moves along with it is taken out.
    """
    split = arrival.index - arrival.begin
    own = list(points[arrival.begin :])
    told = [at for at, one in enumerate(shared) if one is not None]
    kept = sum(at < split for at in told)
    is_adjusted = min(kept, len(told) - kept) >= MIN_SEGMENT_POINTS
    if is_adjusted:
        drift = np.array([shared[at] for at in told], dtype=np.float64)
        own, split = _take_out(drift, [own[at] for at in told], kept), kept
    change = compare_levels(own, split)
    return None if change is None else replace(change, index=arrival.index, is_adjusted=is_adjusted)


def find_shared(runs: Sequence[str], others: Sequence[Beside]) -> list[float | None]:
    """How far the host went in each run, in logs about their mean, by the other services that had
    one build throughout; None where none of them was measured.

    What a run adds to every service's level, by least squares: a service that is missing in some
    runs does not bend them.
    """
    steady = [other.logs for other in others if len(other.builds) == 1 and None not in other.builds]
    told = [run for run in runs if any(run in logs for logs in steady)]
    if not told:
        return [None] * len(runs)
    places = {run: at for at, run in enumerate(told)}
    measured = [
        (places[run], len(told) + service, logs[run])
        for service, logs in enumerate(steady)
        for run in told
        if run in logs
    ]
    # One column for each run, and one for the level of each service.
    layout = np.zeros((len(measured), len(told) + len(steady)))
    for row, (run_at, service_at, _) in enumerate(measured):
        layout[row, run_at] = layout[row, service_at] = 1.0
    effects = np.linalg.lstsq(layout, np.array([log for *_, log in measured]))[0][: len(told)]
    effects -= effects.mean()
    return [float(effects[places[run]]) if run in places else None for run in runs]


def _take_out(drift: Floats, points: Sequence[Observation], split: int) -> list[Observation]:
    """The points without what they share with the drift: y − β·(x − x̄), a control variate (A. Deng
    et al., 2013, "Improving the Sensitivity of Online Controlled Experiments by Utilizing
    Pre-Experiment Data", WSDM).

    β is that of successive differences, which a step touches once, and there it is left out; within
    0 and 1, since no service can suffer less than nothing, and more than the host is its own doing.
    """
    drift = draw_in(drift)
    steps = np.delete(np.diff(drift), split - 1)
    own = np.delete(np.diff(draw_in(np.array([one.mean_log for one in points]))), split - 1)
    squares = float(steps @ steps)
    beta = min(1.0, max(0.0, float(steps @ own) / squares)) if squares > 0 else 0.0
    left = beta * (drift - drift.mean())
    return [
        one._replace(mean_log=one.mean_log - float(taken))
        for one, taken in zip(points, left, strict=True)
    ]


def _find_begin(builds: Sequence[str | None], end: int) -> int:
    """Return the start of the build that ran up to `end`; `end` if that is unknown."""
    begin = end
    while begin > 0 and builds[begin - 1] is not None and builds[begin - 1] == builds[end - 1]:
        begin -= 1
    return begin

"""Test for a level shift at a new build, whose index is known in advance.

The detector tests every index of a history, so each test must be strict. At a new build, a single
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


class OtherSeries(NamedTuple):
    """The series of another service in the same runs: its mean logs by run, and its builds."""

    logs: Mapping[str, float]
    builds: frozenset[str | None]


def find_arrival(builds: Sequence[str | None], levels: Sequence[int] = ()) -> Arrival | None:
    """Return the newest build of a series if it is due for an interim analysis.

    The number of points doubles between analyses, so that each has enough new data. The old level
    is that of the build before, at least four points, since the last change point within them.

    Args:
        builds: the digest of each point, oldest first; None if it is not known.
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
    points: Sequence[Observation], arrival: Arrival, host_shift: Sequence[float | None] = ()
) -> ChangePoint | None:
    """Return the change at a new build; None if it is too small to count.

    Its p-value is that of one analysis. Multiply it by `arrival.analyses` (Bonferroni).

    Args:
        points: the points of the series, oldest first.
        host_shift: the shift of the host in logs, for each point from `arrival.begin` on; None if
            it is unknown. It is subtracted from the points. Empty if it is unknown for all points.
    """
    split = arrival.index - arrival.begin
    own = list(points[arrival.begin :])
    known = [at for at, shift in enumerate(host_shift) if shift is not None]
    kept = sum(at < split for at in known)
    is_adjusted = min(kept, len(known) - kept) >= MIN_SEGMENT_POINTS
    if is_adjusted:
        drift = np.array([host_shift[at] for at in known], dtype=np.float64)
        own, split = _subtract_drift(drift, [own[at] for at in known], kept), kept
    change = compare_levels(own, split)
    return None if change is None else replace(change, index=arrival.index, is_adjusted=is_adjusted)


def find_host_shift(runs: Sequence[str], others: Sequence[OtherSeries]) -> list[float | None]:
    """Return the shift of the host in each run, in logs relative to their mean.

    It is estimated by least squares as the amount that a run adds to the level of every service
    whose build did not change. A service may be missing in some runs. None if no such service was
    measured in a run.
    """
    steady = [other.logs for other in others if len(other.builds) == 1 and None not in other.builds]
    covered = [run for run in runs if any(run in logs for logs in steady)]
    if not covered:
        return [None] * len(runs)
    places = {run: at for at, run in enumerate(covered)}
    measured = [
        (places[run], len(covered) + service, logs[run])
        for service, logs in enumerate(steady)
        for run in covered
        if run in logs
    ]
    # One column for each run, and one for the level of each service.
    layout = np.zeros((len(measured), len(covered) + len(steady)))
    for row, (run_at, service_at, _) in enumerate(measured):
        layout[row, run_at] = layout[row, service_at] = 1.0
    effects = np.linalg.lstsq(layout, np.array([log for *_, log in measured]))[0][: len(covered)]
    effects -= effects.mean()
    return [float(effects[places[run]]) if run in places else None for run in runs]


def _subtract_drift(drift: Floats, points: Sequence[Observation], split: int) -> list[Observation]:
    """Return the points without the part that follows the drift: y − β·(x − x̄).

    This is a control variate (A. Deng et al., 2013, "Improving the Sensitivity of Online Controlled
    Experiments by Utilizing Pre-Experiment Data", WSDM). β is estimated from successive
    differences. A step affects only one difference, which is left out. β is limited to 0 to 1: a
    service does not shift against the host, and a larger shift is its own.
    """
    drift = draw_in(drift)
    steps = np.delete(np.diff(drift), split - 1)
    own = np.delete(np.diff(draw_in(np.array([point.mean_log for point in points]))), split - 1)
    squares = float(steps @ steps)
    beta = min(1.0, max(0.0, float(steps @ own) / squares)) if squares > 0 else 0.0
    explained = beta * (drift - drift.mean())
    return [
        point._replace(mean_log=point.mean_log - float(part))
        for point, part in zip(points, explained, strict=True)
    ]


def _find_begin(builds: Sequence[str | None], end: int) -> int:
    """Return the start of the build that ran up to `end`; `end` if that is unknown."""
    begin = end
    while begin > 0 and builds[begin - 1] is not None and builds[begin - 1] == builds[end - 1]:
        begin -= 1
    return begin

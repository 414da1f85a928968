"""Test the detector with the noise of a series: found steps and false alarms.

Pure and deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from backend.core.changes.detection import (
    DEFAULT,
    LAST_POINTS,
    MIN_POINTS,
    MIN_SEGMENT_POINTS,
    Observation,
    Sensitivity,
    find_changes,
)
from backend.core.numeric import np

INJECTED_RATIO = 1.05
# A step needs points on either side.
MIN_SELF_TEST_POINTS = MIN_POINTS + 2 * MIN_SEGMENT_POINTS
_MOST_INJECTIONS = 30
_SHUFFLES = 40
# Neighbouring points are correlated: a shuffle moves blocks of this length.
_BLOCK_POINTS = 5
_NEAR_POINTS = 5


@dataclass(frozen=True)
class SelfTest:
    """Performance of the detector on a series.

    Attributes:
        ratio: ratio of the injected steps.
        injections: number of injected steps, one at a time, at evenly spaced points.
        found: number of these that were found within five points of their place.
        shuffles: number of series of the same noise without any change.
        alarms: number of these in which a change was found.
    """

    ratio: float
    injections: int
    found: int
    shuffles: int
    alarms: int


def try_detector(
    points: Sequence[Observation], sensitivity: Sensitivity = DEFAULT
) -> SelfTest | None:
    """Inject steps of +5 % into a series, and shuffle its noise; None with too few points.

    First, the level of each segment between change points is subtracted. Steps are injected into
    the residuals in their recorded order. For false alarms, the residuals are resampled in blocks
    of five (moving-block bootstrap, H. R. Künsch, 1989).
    """
    recent = list(points[-LAST_POINTS:])
    if len(recent) < MIN_SELF_TEST_POINTS:
        return None
    level = _take_levels_out(recent, sensitivity)
    first, last = MIN_POINTS // 2, len(level) - 2 * MIN_SEGMENT_POINTS
    steps = np.unique(np.linspace(first, last, _MOST_INJECTIONS).round().astype(int)).tolist()
    random = np.random.default_rng(len(level))
    return SelfTest(
        ratio=INJECTED_RATIO,
        injections=len(steps),
        found=sum(_is_found(level, step, sensitivity) for step in steps),
        shuffles=_SHUFFLES,
        alarms=sum(
            bool(find_changes(_shuffle(level, random), sensitivity)) for _ in range(_SHUFFLES)
        ),
    )


def _take_levels_out(points: Sequence[Observation], sensitivity: Sensitivity) -> list[Observation]:
    logs = np.array([point.mean_log for point in points])
    borders = [0, *(change.index for change in find_changes(points, sensitivity)), len(points)]
    for begin, end in pairwise(borders):
        # The median, so that spikes remain as noise.
        logs[begin:end] -= np.median(logs[begin:end])
    return [
        point._replace(mean_log=float(value)) for point, value in zip(points, logs, strict=True)
    ]


def _is_found(level: Sequence[Observation], step: int, sensitivity: Sensitivity) -> bool:
    raised = [
        point._replace(mean_log=point.mean_log + log(INJECTED_RATIO)) for point in level[step:]
    ]
    return any(
        change.ratio > 1 and abs(change.index - step) <= _NEAR_POINTS
        for change in find_changes([*level[:step], *raised], sensitivity)
    )


def _shuffle(level: Sequence[Observation], random: np.random.Generator) -> list[Observation]:
    count = -(-len(level) // _BLOCK_POINTS)
    begins = random.integers(0, len(level) - _BLOCK_POINTS + 1, count)
    drawn = [point for begin in begins for point in level[begin : begin + _BLOCK_POINTS]]
    return drawn[: len(level)]

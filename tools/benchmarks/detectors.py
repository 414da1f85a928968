"""The detectors that `make bench-detector` compares. Each searches after every new point."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np

from backend.core.changes.detection import find_changes
from backend.core.changes.lifecycle import find_least
from tools.benchmarks.noise import NoiseHistory

# The start of a change moves by a point or two with later points; it is still the same alarm.
SAME_POINTS = 5

_LOOK_BACK_POINTS = 30
_FEW_POINTS = 10


class DetectedStep(NamedTuple):
    """A detected change: from point `at` on, the level is `ratio` times the level before.

    `least` is the value in the interval of the ratio that is nearest to 1; None if the detector has
    no interval.
    """

    at: int
    ratio: float
    least: float | None = None


@dataclass(frozen=True)
class Alarm:
    """An alarm after `seen` points: from `index` on, the level is `ratio` times the level before,
    and at least `least` times."""

    seen: int
    index: int
    ratio: float
    least: float | None

    def is_same(self, index: int, ratio: float) -> bool:
        """Return whether this is the same change, found again."""
        return abs(index - self.index) <= SAME_POINTS and (ratio > 1) == (self.ratio > 1)


@dataclass(frozen=True)
class Detector:
    """`ask` returns the change points in the first points of a history."""

    name: str
    ask: Callable[[NoiseHistory, int], Sequence[DetectedStep]]


def raise_alarms(detector: Detector, history: NoiseHistory, first: int) -> list[Alarm]:
    """Return all alarms, in order, of searches after each point from `first` on."""
    raised: list[Alarm] = []
    for seen in range(first, len(history.points) + 1):
        for index, ratio, least in detector.ask(history, seen):
            if not any(item.is_same(index, ratio) for item in raised):
                raised.append(Alarm(seen, index, ratio, least))
    return raised


@dataclass(frozen=True)
class StepDetectionRate:
    """Histories with a step: the share found, and the median delay in points."""

    ratio: float
    series: int
    share: float
    delay: float | None


def sum_up(ratio: float, delays: Sequence[int | None]) -> StepDetectionRate:
    """Summarise histories with a step by the number of points until it was found, or None."""
    known = [delay for delay in delays if delay is not None]
    return StepDetectionRate(
        ratio, len(delays), len(known) / len(delays), median(known) if known else None
    )


def list_detectors() -> list[Detector]:
    """Return the detectors, Tacho's first."""
    return [
        Detector("Tacho", _tacho),
        Detector("z-score over 3", _z_score),
        Detector("5 % off the last ten", _percentage),
    ]


def _tacho(history: NoiseHistory, seen: int) -> list[DetectedStep]:
    return [
        DetectedStep(change.index, change.ratio, find_least(change.ratio, change.low, change.high))
        for change in find_changes(history.points[:seen])
    ]


def _z_score(history: NoiseHistory, seen: int) -> list[DetectedStep]:
    """Alarm if the newest value is more than three standard deviations from the mean of the 30
    values before it."""
    before = np.exp(history.logs[max(0, seen - 1 - _LOOK_BACK_POINTS) : seen - 1])
    newest, mean = float(np.exp(history.logs[seen - 1])), float(before.mean())
    is_far = abs(newest - mean) > 3 * before.std(ddof=1)
    return [DetectedStep(seen - 1, newest / mean)] if is_far else []


def _percentage(history: NoiseHistory, seen: int) -> list[DetectedStep]:
    """Alarm if the newest value is more than 5 % from the mean of the ten values before it."""
    before = np.exp(history.logs[seen - 1 - _FEW_POINTS : seen - 1]).mean()
    ratio = float(np.exp(history.logs[seen - 1]) / before)
    return [DetectedStep(seen - 1, ratio)] if abs(ratio - 1) > 0.05 else []

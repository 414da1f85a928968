"""Alarms of the change detector, which searches after every new point of a history."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from backend.core.changes.detection import find_changes
from backend.core.changes.lifecycle import find_least
from tools.benchmarks.noise import NoiseHistory

# The start of a change moves by a point or two with later points; it is still the same alarm.
SAME_POINTS = 5


@dataclass(frozen=True)
class Alarm:
    """An alarm after `seen` points: from `index` on, the level is `ratio` times the level before,
    and at least `least` times."""

    seen: int
    index: int
    ratio: float
    least: float

    def is_same(self, index: int, ratio: float) -> bool:
        """Return whether this is the same change, found again."""
        return abs(index - self.index) <= SAME_POINTS and (ratio > 1) == (self.ratio > 1)


def raise_alarms(history: NoiseHistory, first: int) -> list[Alarm]:
    """Return all alarms, in order, of searches after each point from `first` on."""
    raised: list[Alarm] = []
    for seen in range(first, len(history.points) + 1):
        for change in find_changes(history.points[:seen]):
            if not any(item.is_same(change.index, change.ratio) for item in raised):
                least = find_least(change.ratio, change.low, change.high)
                raised.append(Alarm(seen, change.index, change.ratio, least or change.ratio))
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

"""The detectors that `make bench-detector` compares. Each searches after every new point."""

import importlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from backend.core.changes.detection import find_changes
from backend.core.changes.lifecycle import find_least
from backend.core.config import ROOT
from tools.benchmarks.noise import NoiseHistory

# The start of a change moves by a point or two with later points; it is still the same alarm.
SAME_POINTS = 5

_OTAVA = ROOT / ".tacho/cache/otava"
_OTAVA_LOCK = Path(__file__).parent / "otava.txt"
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
    """`ask` returns the change points in the first points of a history.

    Attributes:
        share: share of the histories that it searches; slow detectors search fewer.
    """

    name: str
    ask: Callable[[NoiseHistory, int], Sequence[DetectedStep]]
    share: float = 1.0


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
    """Tacho's first. Otava is left out if it cannot be installed."""
    found = [
        Detector("Tacho", _tacho),
        Detector("z-score over 3", _z_score),
        Detector("5 % off the last ten", _percentage),
    ]
    if install_otava():
        found[1:1] = [
            Detector("Otava, p 1e-4 and 3 %", partial(_otava, 1e-4, 0.03), 0.02),
            Detector("Otava as it comes", partial(_otava, 1e-3, 0.0), 0.02),
        ]
    return found


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


def _otava(
    max_p: float, min_magnitude: float, history: NoiseHistory, seen: int
) -> list[DetectedStep]:
    """Apache Otava 0.8 on the values, with its defaults."""
    values = np.exp(history.logs[:seen]).tolist()
    found, _ = _import_otava().compute_change_points(
        values, max_pvalue=max_p, min_magnitude=min_magnitude
    )
    return [
        DetectedStep(int(item.index), float(item.stats.mean_2 / item.stats.mean_1))
        for item in found
    ]


@cache
def _import_otava() -> Any:
    sys.path.append(str(_OTAVA))
    return importlib.import_module("otava.analysis")


def install_otava() -> bool:
    """Install Otava separately, because it requires another version of NumPy; it also works with
    ours.

    Only its command line needs the other dependencies.
    """
    if (_OTAVA / "otava/analysis.py").exists():
        return True
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*command, "--require-hashes", "--target", str(_OTAVA), "-r", str(_OTAVA_LOCK)], check=False
    )
    return done.returncode == 0

"""The detectors that `make bench-detector` puts side by side, each asked after every new point."""

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
from worker.benchmarks.noise import NoiseHistory

# Where a change begins moves by a point or two as later ones come; it is the same alarm.
SAME_POINTS = 5

_OTAVA = ROOT / ".tacho/cache/otava"
_OTAVA_LOCK = Path(__file__).parent / "otava.txt"
_LOOK_BACK_POINTS = 30
_FEW_POINTS = 10


class DetectedStep(NamedTuple):
    """A detector's word that from point `at` on the level is another, `ratio` times the one before.

    `least` is the nearest to 1 that the ratio's interval holds; None where the detector gives none.
    """

    at: int
    ratio: float
    least: float | None = None


@dataclass(frozen=True)
class Alarm:
    """A detector's word, when it had seen `seen` points, that from `index` on the level is another,
    `ratio` times the one before, `least` at least."""

    seen: int
    index: int
    ratio: float
    least: float | None

    def is_same(self, index: int, ratio: float) -> bool:
        """Whether that is the same change, found again."""
        return abs(index - self.index) <= SAME_POINTS and (ratio > 1) == (self.ratio > 1)


@dataclass(frozen=True)
class Detector:
    """`ask` gives the change points among a history's first points.

    Attributes:
        share: of the histories that it is asked about; slow ones see fewer.
    """

    name: str
    ask: Callable[[NoiseHistory, int], Sequence[DetectedStep]]
    share: float = 1.0


def raise_alarms(detector: Detector, history: NoiseHistory, first: int) -> list[Alarm]:
    """Every alarm, in order, when the detector is asked after each point from `first` on."""
    raised: list[Alarm] = []
    for seen in range(first, len(history.points) + 1):
        for index, ratio, least in detector.ask(history, seen):
            if not any(one.is_same(index, ratio) for one in raised):
                raised.append(Alarm(seen, index, ratio, least))
    return raised


@dataclass(frozen=True)
class StepDetectionRate:
    """Histories with a step: the share found, and the median of the points until then."""

    ratio: float
    series: int
    share: float
    delay: float | None


def sum_up(ratio: float, delays: Sequence[int | None]) -> StepDetectionRate:
    """Of histories with a step, each of which was found after so many points, or not."""
    known = [one for one in delays if one is not None]
    return StepDetectionRate(
        ratio, len(delays), len(known) / len(delays), median(known) if known else None
    )


def list_detectors() -> list[Detector]:
    """Tacho's first. Otava is left out where it cannot be installed."""
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
        DetectedStep(one.index, one.ratio, find_least(one.ratio, one.low, one.high))
        for one in find_changes(history.points[:seen])
    ]


def _z_score(history: NoiseHistory, seen: int) -> list[DetectedStep]:
    """The newest value is more than three standard deviations off the mean of 30 before it."""
    before = np.exp(history.logs[max(0, seen - 1 - _LOOK_BACK_POINTS) : seen - 1])
    newest, mean = float(np.exp(history.logs[seen - 1])), float(before.mean())
    is_far = abs(newest - mean) > 3 * before.std(ddof=1)
    return [DetectedStep(seen - 1, newest / mean)] if is_far else []


def _percentage(history: NoiseHistory, seen: int) -> list[DetectedStep]:
    """The newest value is more than 5 % off the mean of ten before it."""
    before = np.exp(history.logs[seen - 1 - _FEW_POINTS : seen - 1]).mean()
    ratio = float(np.exp(history.logs[seen - 1]) / before)
    return [DetectedStep(seen - 1, ratio)] if abs(ratio - 1) > 0.05 else []


def _otava(
    max_p: float, min_magnitude: float, history: NoiseHistory, seen: int
) -> list[DetectedStep]:
    """Apache Otava 0.8 on the values themselves, as its users have it."""
    values = np.exp(history.logs[:seen]).tolist()
    found, _ = _import_otava().compute_change_points(
        values, max_pvalue=max_p, min_magnitude=min_magnitude
    )
    return [
        DetectedStep(int(one.index), float(one.stats.mean_2 / one.stats.mean_1)) for one in found
    ]


@cache
def _import_otava() -> Any:
    sys.path.append(str(_OTAVA))
    return importlib.import_module("otava.analysis")


def install_otava() -> bool:
    """Fetch Otava beside our packages, since it asks for another NumPy than ours; it works with it.

    Its other dependencies are those of its command line.
    """
    if (_OTAVA / "otava/analysis.py").exists():
        return True
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*command, "--require-hashes", "--target", str(_OTAVA), "-r", str(_OTAVA_LOCK)], check=False
    )
    return done.returncode == 0

"""Simulated histories with four kinds of noise and a step or none, and confirmation runs."""

from dataclasses import dataclass
from enum import StrEnum
from math import log, sqrt

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter
from scipy.special import stdtrit

from backend.core.changes.detection import Observation
from backend.core.changes.lifecycle import ChangeJudgement, Levels, judge_confirmation, plan_pairs
from backend.core.units import Direction

Floats = npt.NDArray[np.float64]

# Coefficient of variation of a point, from run to run. Half of the variance is within runs, and
# half is between runs.
VARIATION = 0.03
TRIALS = 5
_TRIAL_DEVIATION = VARIATION * sqrt(TRIALS / 2)
_CORRELATION = 0.5
_SPIKE_SHARE = 0.05
# Mean of an exponential distribution, in standard deviations: + 24 %.
_SPIKE_MEAN = 8.0
# The standard deviation is periodically this factor times the normal one.
SPELL_POINTS = 40
_SPELLS = (0.5, 2.0)
_MOST_PAIRS = 20


class Model(StrEnum):
    """The kind of variation from run to run."""

    IID = "iid"
    SPIKES = "spikes"
    DRIFT = "AR(0.5) drift"
    SHIFTING = "shifting variance"


@dataclass(frozen=True)
class NoiseHistory:
    """The points of a series, and their logs."""

    logs: Floats
    points: list[Observation]


def make_history(
    model: Model, seed: int, size: int, step_at: int = 0, ratio: float = 1.0
) -> NoiseHistory:
    """Return a history of `size` points, by default without a step."""
    random = np.random.default_rng([seed, list(Model).index(model)])
    logs = VARIATION * draw(model, random, size)
    logs[step_at:] += log(ratio)
    # The variance that five normal trials show follows a chi-squared distribution.
    variances = _TRIAL_DEVIATION**2 * random.chisquare(TRIALS - 1, size) / (TRIALS - 1)
    half_widths = float(stdtrit(TRIALS - 1, 0.975)) * np.sqrt(variances / TRIALS)
    points = [
        Observation(float(mean), float(half), TRIALS)
        for mean, half in zip(logs, half_widths, strict=True)
    ]
    return NoiseHistory(logs, points)


def draw(model: Model, random: np.random.Generator, size: int) -> Floats:
    """Return noise with a standard deviation of 1."""
    noise = random.normal(size=size)
    if model is Model.SPIKES:
        hit = random.random(size) < _SPIKE_SHARE
        noise[hit] += random.exponential(_SPIKE_MEAN, hit.sum())
    elif model is Model.DRIFT:
        return drift(random, size)
    elif model is Model.SHIFTING:
        noise *= np.array(_SPELLS)[np.arange(size) // SPELL_POINTS % 2]
    return noise


def drift(random: np.random.Generator, size: int, correlation: float = _CORRELATION) -> Floats:
    """Return a stationary autoregressive process of first order with a standard deviation of 1."""
    fresh = random.normal(size=size) * sqrt(1 - correlation**2)
    fresh[0] /= sqrt(1 - correlation**2)
    drifted: Floats = np.asarray(lfilter([1.0], [1.0, -correlation], fresh))
    return drifted


def simulate_confirmation(
    random: np.random.Generator, suspected: float, least: float, true: float
) -> ChangeJudgement:
    """Simulate a confirmation run: interleaved pairs of the old and the new build, as Tacho
    measures them.

    It has as many pairs as are needed to detect `least`, the value in the ratio's interval that is
    nearest to 1.

    The host drifts from trial to trial (AR(0.5), with the variation of the points of a history).
    The order within a pair is random, so that both share most of the drift.
    """
    deviation = sqrt(_TRIAL_DEVIATION**2 + VARIATION**2)
    count = plan_pairs(least, deviation, _MOST_PAIRS)
    trials = VARIATION * drift(random, 2 * count) + random.normal(0, _TRIAL_DEVIATION, 2 * count)
    paired = random.permuted(trials.reshape(count, 2), axis=1)
    paired[:, 1] += log(true)
    pairs = [(float(old), float(new)) for old, new in np.exp(paired)]
    levels = Levels(before=0.0, after=log(suspected))
    return judge_confirmation(suspected, pairs, levels, Direction.LOWER)

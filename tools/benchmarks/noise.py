"""Four kinds of simulated noise from trial to trial."""

from enum import StrEnum
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter

Floats = npt.NDArray[np.float64]

# Coefficient of variation.
VARIATION = 0.03
_CORRELATION = 0.5
_SPIKE_SHARE = 0.05
# Mean of an exponential distribution, in standard deviations: + 24 %.
_SPIKE_MEAN = 8.0
# The standard deviation is periodically this factor times the normal one.
SPELL_POINTS = 40
_SPELLS = (0.5, 2.0)


class Model(StrEnum):
    """The kind of variation."""

    IID = "iid"
    SPIKES = "spikes"
    DRIFT = "AR(0.5) drift"
    SHIFTING = "shifting variance"


def draw(model: Model, random: np.random.Generator, size: int) -> Floats:
    """Return noise with a standard deviation of 1."""
    noise = random.normal(size=size)
    if model is Model.SPIKES:
        hit = random.random(size) < _SPIKE_SHARE
        noise[hit] += random.exponential(_SPIKE_MEAN, hit.sum())
    elif model is Model.DRIFT:
        return _drift(random, size)
    elif model is Model.SHIFTING:
        noise *= np.array(_SPELLS)[np.arange(size) // SPELL_POINTS % 2]
    return noise


def _drift(random: np.random.Generator, size: int) -> Floats:
    """Return a stationary autoregressive process of first order with a standard deviation of 1."""
    fresh = random.normal(size=size) * sqrt(1 - _CORRELATION**2)
    fresh[0] /= sqrt(1 - _CORRELATION**2)
    drifted: Floats = np.asarray(lfilter([1.0], [1.0, -_CORRELATION], fresh))
    return drifted

"""The minimum detectable difference of a metric on a bench host, from equal cells; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log, sqrt
from statistics import fmean, variance

from backend.core.numeric import special


@dataclass(frozen=True)
class Noise:
    """How much a metric differs from itself.

    Attributes:
        variation: coefficient of variation from trial to trial (0.01 is 1 %).
        smallest_ratio: the ratio of two cells of `trials` trials each that is worth believing; a
            smaller one may be noise.
        trials: trials a cell.
        aa_ratio: the largest ratio found between cells that are the same, as 1 or more.
    """

    variation: float
    smallest_ratio: float
    trials: int
    aa_ratio: float


def find_noise(cells: Sequence[Sequence[float]]) -> Noise | None:
    """The noise of a metric from its values in cells that are the same.

    Within-cell variances of the logs are pooled, their mean weighted by degrees of freedom; the
    coefficient of variation of a lognormal is √(e^σ² − 1) (Johnson, Kotz & Balakrishnan, 1994). The
    smallest ratio is the half-width of the 95 % interval of two such cells' ratio (Student's t
    with the pooled degrees of freedom), or the ratio that was found between them where it is
    larger: something then differs from cell to cell that trials within a cell do not show.

    Args:
        cells: two or more, each with the values of its trials.

    Returns:
        None when there are fewer than two cells of two trials, or a value is not positive and so
        has no log.
    """
    whole = [cell for cell in cells if len(cell) >= 2]
    if len(whole) < 2 or min(min(cell) for cell in whole) <= 0:
        return None
    logs = [[log(value) for value in cell] for cell in whole]
    freedom = sum(len(cell) - 1 for cell in logs)
    pooled = sum(variance(cell) * (len(cell) - 1) for cell in logs) / freedom
    trials = min(map(len, logs))
    half_width = float(special.stdtrit(freedom, 0.975)) * sqrt(pooled * 2 / trials)
    centres = [fmean(cell) for cell in logs]
    found = exp(max(centres) - min(centres))
    return Noise(sqrt(expm1(pooled)), max(exp(half_width), found), trials, found)

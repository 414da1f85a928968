"""The minimum detectable difference of a metric on a bench host, from equal cells; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, expm1, log, sqrt
from statistics import fmean, variance

from backend.core.numeric import special
from backend.core.units import Metric, ProfileKind

# Metrics that vary from trial to trial.
NOISY_METRICS = tuple(
    metric
    for metric in Metric
    if metric
    not in {
        Metric.SUCCESS_RATIO,
        Metric.REQUEST_BYTES,
        Metric.RESPONSE_BYTES,
        Metric.BUILD_SECONDS,
        Metric.IMAGE_BYTES,
    }
)


@dataclass(frozen=True)
class Noise:
    """The variation of a metric between equal cells.

    Attributes:
        variation: coefficient of variation from trial to trial (0.01 is 1 %).
        smallest_ratio: the minimum detectable ratio of two cells of `trials` trials each; a smaller
        ratio may be noise.
        trials: trials per cell.
        aa_ratio: the largest measured ratio between equal cells, at least 1.
    """

    variation: float
    smallest_ratio: float
    trials: int
    aa_ratio: float


def find_noise(cells: Sequence[Sequence[float]]) -> Noise | None:
    """Return the noise of a metric from its values in equal cells.

    Within-cell variances of the logs are pooled, their mean weighted by degrees of freedom; the
    coefficient of variation of a lognormal is √(e^σ² − 1) (Johnson, Kotz & Balakrishnan, 1994). The
    smallest ratio is the half-width of the 95 % interval of the ratio of two such cells (Student's
    t with the pooled degrees of freedom). If a larger ratio was measured between equal cells, it is
    that ratio, because cells then differ by something that trials within a cell do not show.

    Args:
        cells: two or more, each with the values of its trials.

    Returns:
        None if there are fewer than two cells of two trials, or if a value is not positive and so
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


def find_noises(
    trials_of_cells: Sequence[Sequence[Mapping[Metric, float]]], kind: ProfileKind
) -> dict[Metric, Noise]:
    """Return the noise of each metric that varies.

    Args:
        trials_of_cells: equal cells, each with the metrics of its trials.
    """
    found: dict[Metric, Noise] = {}
    for metric in NOISY_METRICS:
        # At a fixed rate, throughput does not vary.
        if metric is Metric.THROUGHPUT_RPS and kind is ProfileKind.RATE:
            continue
        cells = [
            [trial[metric] for trial in trials if metric in trial] for trials in trials_of_cells
        ]
        noise = find_noise(cells)
        if noise is not None:
            found[metric] = noise
    return found

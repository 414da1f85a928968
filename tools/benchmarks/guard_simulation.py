"""Simulated guards over the noise that guards of equal versions have measured."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log, sqrt
from statistics import fmean

from backend.core.measurement.statistics.boundaries import FIRST_LOOK
from backend.core.measurement.statistics.guard import ChangeState, judge_change
from backend.core.units import Metric

# For each metric, the differences of the logs of head and base in pairs of equal versions.
Noise = Mapping[Metric, Sequence[float]]


class SimulatedVerdict(StrEnum):
    """The verdict of a simulated guard. `OK` stands for all verdicts that pass."""

    SLOWER = "slower"
    UNKNOWN = "unknown"
    OK = "ok"


@dataclass(frozen=True)
class SimulatedGuard:
    """A guard with the noise of a service.

    Attributes:
        limits: the largest accepted change for the worse by metric, as a share.
        deviations: standard deviations of the differences of logs in a pair, by metric.
        shapes: differences in units of the standard deviation, of all services, by metric.
        planned_pairs: the number for which a guard computes its critical values.
        most_pairs: the number for which the time is enough.
    """

    limits: Mapping[Metric, float]
    deviations: Mapping[Metric, float]
    shapes: Noise
    planned_pairs: int
    most_pairs: int

    def run(self, effects: Mapping[Metric, float], draw: random.Random) -> SimulatedVerdict:
        """Simulate one guard.

        Each difference is a measured one of any service, with a random sign and the deviation of
        this service. The sign makes the noise fair: base and head are the same.

        Args:
            effects: ratios of head and base that are added, by metric.
        """
        heads = {
            metric: self._draw(metric, effects.get(metric, 1.0), draw) for metric in self.limits
        }
        states: list[ChangeState] = []
        for pairs in range(FIRST_LOOK, max(self.most_pairs, FIRST_LOOK) + 1):
            states = [
                judge_change(
                    metric,
                    [1.0] * pairs,
                    heads[metric][:pairs],
                    limit,
                    metrics=len(self.limits),
                    most_pairs=self.planned_pairs,
                ).state
                for metric, limit in self.limits.items()
            ]
            if ChangeState.UNKNOWN not in states:
                break
        if ChangeState.WORSE in states:
            return SimulatedVerdict.SLOWER
        is_unknown = ChangeState.UNKNOWN in states
        return SimulatedVerdict.UNKNOWN if is_unknown else SimulatedVerdict.OK

    def _draw(self, metric: Metric, effect: float, draw: random.Random) -> list[float]:
        count = max(self.most_pairs, FIRST_LOOK)
        drawn = draw.choices(self.shapes[metric], k=count)
        scale = self.deviations[metric]
        return [exp(log(effect) + scale * value * draw.choice((-1.0, 1.0))) for value in drawn]


def find_deviations(noise: Noise) -> dict[Metric, float]:
    """Return the standard deviation of each metric. The expected difference is known: none."""
    return {
        metric: sqrt(fmean(value**2 for value in values))
        for metric, values in noise.items()
        if any(values)
    }


def find_shapes(noises: Sequence[Noise]) -> dict[Metric, list[float]]:
    """Return the differences of all services in units of their standard deviations."""
    shapes: dict[Metric, list[float]] = {}
    for noise in noises:
        for metric, deviation in find_deviations(noise).items():
            shapes.setdefault(metric, []).extend(value / deviation for value in noise[metric])
    return shapes


def find_share(
    guard: SimulatedGuard,
    effects: Mapping[Metric, float],
    verdict: SimulatedVerdict,
    simulations: int,
    seed: int,
) -> float:
    """Return the share of simulated guards that end with a verdict."""
    draw = random.Random(seed)  # noqa: S311  a reproducible simulation, not a secret
    return fmean(guard.run(effects, draw) is verdict for _ in range(simulations))

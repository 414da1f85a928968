"""The reference service's distribution of latencies, as a pure function of its parameters.

A mixture of one or two lognormals (N. L. Johnson, S. Kotz & N. Balakrishnan, "Continuous
univariate distributions", 1994, chapter 14), of which a share is moved by a stall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log

from backend.core.numeric import special

# Maximum difference of a reported latency from the truth.
TOLERANCE_SHARE = 0.02
TOLERANCE_MS = 0.3
_LEAST_SIGMA = 1e-9
_STEPS = 100


@dataclass(frozen=True)
class Distribution:
    """Latencies in ms; `sigma` is a mode's standard deviation of the log, shares are 0 to 1."""

    median_ms: float
    sigma: float
    second_share: float = 0.0
    second_median_ms: float = 0.0
    stall_share: float = 0.0
    stall_ms: float = 0.0

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, int]) -> Distribution:
        """Return the distribution of a cell of the scenario `calibration`."""
        return cls(
            median_ms=parameters["median_us"] / 1e3,
            sigma=parameters["sigma_percent"] / 100,
            second_share=parameters["second_percent"] / 100,
            second_median_ms=parameters["second_median_us"] / 1e3,
            stall_share=parameters["stall_per_mille"] / 1e3,
            stall_ms=float(parameters["stall_ms"]),
        )

    def share_below(self, latency_ms: float) -> float:
        """Return the share of requests with at most this latency."""
        stalled = self._mixture_below(latency_ms - self.stall_ms)
        return (1 - self.stall_share) * self._mixture_below(latency_ms) + self.stall_share * stalled

    def quantile_ms(self, quantile: float) -> float:
        """Return the latency at a quantile (0 to 1, exclusive).

        Computed by bisection on the logarithm, with a relative error below 10⁻¹⁰.
        """
        low, high = log(1e-6), log(1e9)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self.share_below(exp(middle)) < quantile:
                low = middle
            else:
                high = middle
        return exp(high)

    def _mixture_below(self, latency_ms: float) -> float:
        first = (1 - self.second_share) * self._mode_below(latency_ms, self.median_ms)
        return first + self.second_share * self._mode_below(latency_ms, self.second_median_ms)

    def _mode_below(self, latency_ms: float, median_ms: float) -> float:
        if latency_ms <= 0:
            return 0.0
        if median_ms <= 0:
            return 1.0
        return float(special.ndtr(log(latency_ms / median_ms) / max(self.sigma, _LEAST_SIGMA)))


def is_true(reported_ms: float, expected_ms: float) -> bool:
    """Return whether a reported latency is within 2 % + 0.3 ms of the expected one."""
    return abs(reported_ms - expected_ms) <= TOLERANCE_SHARE * expected_ms + TOLERANCE_MS
